import CaptureProtocol

/// The left part of a card without a photo: the digest in four lines of 16.
struct HashPanel {
    private static let iconSide = 72.0
    let box: Box

    /// - Parameter title: ``CardText/hashTitle(_:)``.
    func draw(
        _ digest: ContentDigest, title: String, on canvas: Canvas, with typesetter: Typesetter
    ) throws(ShareCardError) {
        canvas.fill(box, .sunken)
        let title = try typesetter.set(title, TextStyle(family: CardFonts.serif, size: 46))
        let hex = Array(digest.hex)
        let rows = stride(from: 0, to: hex.count, by: 16).map { String(hex[$0..<min($0 + 16, hex.count)]) }
        let lines = try typesetter.set(
            rows.joined(separator: "\n"), TextStyle(family: CardFonts.mono, size: 40, spacing: 0.06, lineHeight: 1.3, colour: .ink2))
        let height = Self.iconSide + 20 + title.height + 26 + lines.height
        let x = box.middle.x - lines.width / 2
        var y = box.middle.y - height / 2
        // The icon's lines begin at 3.5 of 24.
        let inset = Self.iconSide * 3.5 / Icon.side
        canvas.stroke(.hash, in: Box(x: x - inset, y: y, width: Self.iconSide, height: Self.iconSide), width: 1.6, .ink)
        y += Self.iconSide + 20
        title.draw(on: canvas, at: Point(x, y))
        y += title.height + 26
        lines.draw(on: canvas, at: Point(x, y))
    }
}
