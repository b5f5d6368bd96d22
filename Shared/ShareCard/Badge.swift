import Models

/// The pill with the confidence level, which is said three times: by colour, by shape (bars that are filled, or a triangle) and by word, so
/// that no reader depends on colour.
struct Badge {
    static let height = 56.0
    private static let sizes = [26.0, 24, 22, 21, 20, 19, 18]
    private static let iconSide = 32.0
    private static let gap = 12.0
    private static let (leading, trailing) = (18.0, 26.0)

    let level: ConfidenceLevel
    /// Drawn with a dashed edge.
    let isTest: Bool

    /// - Parameter width: the largest that the badge may have.
    /// - Throws: ``ShareCardError`` `drawingFailed`.
    func draw(on canvas: Canvas, with typesetter: Typesetter, at origin: Point, width: Double) throws(ShareCardError) {
        let room = width - Self.leading - Self.iconSide - Self.gap - Self.trailing
        let (word, rest) = try texts(typesetter, room: room)
        let outline = Box(
            x: origin.x, y: origin.y, width: min(width, width - room + word.width + rest.width), height: Self.height)
        canvas.fill(outline, radius: Self.height / 2, fill)
        if isTest {
            canvas.stroke(outline.inset(by: 5), radius: Self.height / 2, width: 2.5, dash: [9, 6], ink)
        } else {
            canvas.stroke(outline.inset(by: 1), radius: Self.height / 2, width: 2, edge)
        }
        let icon = Box(
            x: origin.x + Self.leading, y: origin.y + (Self.height - Self.iconSide) / 2, width: Self.iconSide, height: Self.iconSide)
        drawIcon(on: canvas, in: icon)
        let baseline = origin.y + Self.height / 2 + word.baseline * 0.335
        word.draw(on: canvas, x: icon.maxX + Self.gap, baseline: baseline)
        rest.draw(on: canvas, x: icon.maxX + Self.gap + word.width, baseline: baseline)
    }

    /// At the largest size that fits.
    private func texts(_ typesetter: Typesetter, room: Double) throws(ShareCardError) -> (word: TextBlock, rest: TextBlock) {
        let text = CardText.badge(level)
        for size in Self.sizes.dropLast() {
            let pair = try texts(text, typesetter, size)
            if pair.word.width + pair.rest.width <= room { return pair }
        }
        return try texts(text, typesetter, Self.sizes[Self.sizes.count - 1])
    }

    private func texts(
        _ text: (word: String, rest: String), _ typesetter: Typesetter, _ size: Double
    ) throws(ShareCardError) -> (word: TextBlock, rest: TextBlock) {
        (
            try typesetter.set(text.word, TextStyle(size: size, isBold: true, spacing: 0.05, colour: ink)),
            try typesetter.set(text.rest, TextStyle(size: size, colour: ink))
        )
    }

    private func drawIcon(on canvas: Canvas, in box: Box) {
        guard let filled = filledBars else { return canvas.stroke(.alert, in: box, ink) }
        let scale = box.width / Icon.side
        for (index, bar) in Icon.bars.enumerated() {
            let place = Box(x: box.x + bar.x * scale, y: box.y + bar.y * scale, width: bar.width * scale, height: bar.height * scale)
            if index < filled {
                canvas.fill(place, radius: Icon.barRadius * scale, ink)
            } else {
                let stroke = Icon.outlineStroke * scale
                canvas.stroke(place.inset(by: stroke / 2), radius: Icon.barRadius * scale, width: stroke, ink)
            }
        }
    }

    /// `nil` for the triangle.
    private var filledBars: Int? {
        switch level {
        case .high: 3
        case .medium: 2
        case .low: 1
        case .suspicious: nil
        }
    }

    private var fill: Colour {
        switch level {
        case .high: Colour(0x17643D)
        case .medium: Colour(0xF6CB45)
        case .low: Colour(0xF3923C)
        case .suspicious: Colour(0xB3261E)
        }
    }

    private var ink: Colour {
        switch level {
        case .high, .suspicious: Colour(0xFFFFFF)
        case .medium: Colour(0x2B2100)
        case .low: Colour(0x2A1300)
        }
    }

    private var edge: Colour {
        switch level {
        case .high, .suspicious: fill
        case .medium: Colour(0x8A6A00)
        case .low: Colour(0xA9540C)
        }
    }
}
