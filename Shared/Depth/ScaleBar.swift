import Foundation

/// The legend in a depth picture's corner: the colours from near to far with distances in metres.
struct ScaleBar {
    private static let margin = 12
    private static let padding = 8
    private static let barHeight = 14
    private static let tickHeight = 4
    private static let glyphScale = 2

    let scale: DepthScale

    func draw(into picture: inout DepthPicture) {
        let barWidth = min(picture.width - 2 * (Self.margin + Self.padding), 260)
        let glyphHeight = DigitFont.height * Self.glyphScale
        let panelHeight = Self.padding * 2 + Self.barHeight + Self.tickHeight * 2 + glyphHeight
        // A picture too small for the legend goes without.
        guard barWidth >= 120, picture.height >= panelHeight + 2 * Self.margin else { return }
        let top = picture.height - Self.margin - panelHeight
        picture.fill(
            x: Self.margin, y: top, width: barWidth + 2 * Self.padding, height: panelHeight, with: DepthPalette.paper)
        let left = Self.margin + Self.padding
        for x in 0..<barWidth {
            let level = UInt8(x * DepthPalette.levels / barWidth)
            picture.fill(x: left + x, y: top + Self.padding, width: 1, height: Self.barHeight, with: level)
        }
        drawTicks(into: &picture, left: left, top: top + Self.padding + Self.barHeight, width: barWidth)
    }

    /// Both ends labelled, between them the round distances that leave room.
    private func drawTicks(into picture: inout DepthPicture, left: Int, top: Int, width: Int) {
        let ends = [
            (scale.nearMetres, 0, Self.label(scale.nearMetres)), (scale.farMetres, width, Self.label(scale.farMetres) + " m"),
        ]
        let inner = scale.ticks.map { ($0, Int(scale.position(of: $0) * Double(width)), Self.label($0)) }
        var taken: [ClosedRange<Int>] = []
        for (_, offset, text) in ends + inner {
            let length = DigitFont.width(of: text) * Self.glyphScale
            let start = min(max(offset - length / 2, 0), width - length)
            let span = start - 6...start + length + 6
            guard !taken.contains(where: { $0.overlaps(span) }) else { continue }
            taken.append(span)
            let tick = min(max(offset, 1), width - 1) - 1
            picture.fill(x: left + tick, y: top, width: 2, height: Self.tickHeight, with: DepthPalette.ink)
            DigitFont.draw(
                text, into: &picture, x: left + start, y: top + 2 * Self.tickHeight, scale: Self.glyphScale,
                with: DepthPalette.ink)
        }
    }

    /// Metres with as many decimals as matter.
    private static func label(_ metres: Double) -> String {
        let decimals = metres < 1 ? 2 : metres < 10 ? 1 : 0
        var text = String(format: "%.\(decimals)f", metres)
        while text.contains("."), text.hasSuffix("0") || text.hasSuffix(".") {
            let isPoint = text.hasSuffix(".")
            text.removeLast()
            if isPoint { break }
        }
        return text
    }
}
