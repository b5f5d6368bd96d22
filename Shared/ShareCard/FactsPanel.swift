/// The right part of a card: badge, time, coarse place, a note on what the evidence means, word mark.
struct FactsPanel {
    private static let inset = 48.0
    private static let tagHeight = 40.0
    let box: Box

    func draw(_ content: ShareCardContent, on canvas: Canvas, with typesetter: Typesetter) throws(ShareCardError) {
        canvas.fill(box, .paper)
        let inner = box.inset(by: Self.inset)
        let bottom = try drawFoot(on: canvas, with: typesetter, in: inner)
        // The band already provides the safe margin.
        var y = content.isDevelopment ? box.y + 32 : inner.y
        if let level = content.level {
            // Only the badge may reach into the safe margin.
            try Badge(level: level, isTest: content.isDevelopment).draw(
                on: canvas, with: typesetter, at: Point(inner.x, y), width: inner.width + 8)
            y += Badge.height
        }
        if content.isDevelopment {
            y += 14
            try drawTag(on: canvas, with: typesetter, at: Point(inner.x, y))
            y += Self.tagHeight
        }
        if content.level != nil { y += content.isDevelopment ? 20 : 44 }
        try drawFacts(content, on: canvas, with: typesetter, in: Box(x: inner.x, y: y, width: inner.width, height: bottom - y))
    }

    /// "test record" under the badge, with a dashed edge as the badge has.
    private func drawTag(on canvas: Canvas, with typesetter: Typesetter, at origin: Point) throws(ShareCardError) {
        let text = try typesetter.set(CardText.testRecord, TextStyle(size: 22, isBold: true, colour: .development))
        let outline = Box(x: origin.x, y: origin.y, width: text.width + 68, height: Self.tagHeight)
        canvas.stroke(outline.inset(by: 1), radius: Self.tagHeight / 2, width: 2, dash: [7, 5], .development)
        canvas.stroke(.flask, in: Box(x: outline.x + 14, y: outline.y + 8, width: 24, height: 24), .development)
        text.draw(on: canvas, at: Point(outline.x + 46, outline.middle.y - text.height / 2))
    }

    private func drawFacts(
        _ content: ShareCardContent, on canvas: Canvas, with typesetter: Typesetter, in room: Box
    ) throws(ShareCardError) {
        var y = room.y
        var room = room
        if content.level != nil, let note = Self.unsignedNote(content) {
            let line = try typesetter.set(note, TextStyle(size: 22, colour: .ink2), width: room.width)
            // Directly above the foot; the facts use the space above it, so that the two never overlap.
            line.draw(on: canvas, at: Point(room.x, room.maxY - line.height))
            room = Box(x: room.x, y: room.y, width: room.width, height: room.height - line.height - 6)
        }
        let times = CardText.time(content.capturedAt)
        if !times.isEmpty {
            // The marks of a test record leave no room for the label.
            if !content.isDevelopment {
                let label = try typesetter.set(CardText.captured, .label)
                label.draw(on: canvas, at: Point(room.x, y))
                y += label.height + 2
            }
            for text in times {
                let line = try typesetter.set(text, .fact, width: room.width)
                line.draw(on: canvas, at: Point(room.x, y))
                y += line.height
            }
            y += 14
        }
        guard let place = try place(content, typesetter, width: room.width, height: room.maxY - y) else { return }
        place.draw(on: canvas, at: Point(room.x, y))
    }

    /// A note on the facts that no hardware signature covers; `nil` if there are none.
    private static func unsignedNote(_ content: ShareCardContent) -> String? {
        guard !content.isSigned else { return nil }
        switch (!CardText.time(content.capturedAt).isEmpty, content.placeName.flatMap(CardText.cleaned) != nil) {
        case (true, true): return CardText.unsigned
        case (true, false): return CardText.unsignedTime
        case (false, true): return CardText.unsignedPlace
        case (false, false): return nil
        }
    }

    /// In as many lines as fit, at most two; `nil` for a name that cannot be shown.
    private func place(
        _ content: ShareCardContent, _ typesetter: Typesetter, width: Double, height: Double
    ) throws(ShareCardError) -> TextBlock? {
        // Without a result the card does not show the place either.
        guard content.level != nil else { return nil }
        guard let name = content.placeName.flatMap(CardText.cleaned) else {
            return try typesetter.set(CardText.missingPlace(content), TextStyle(size: 26, colour: .ink2), width: width)
        }
        for lines in [2, 1] {
            let block = try typesetter.set(name, .fact, width: width, lines: lines)
            guard block.isLegible else { return nil }
            if block.height <= height || lines == 1 { return block }
        }
        return nil
    }

    /// - Returns: the y coordinate at which the foot begins.
    private func drawFoot(on canvas: Canvas, with typesetter: Typesetter, in inner: Box) throws(ShareCardError) -> Double {
        let mark = try typesetter.set(CardText.mark, TextStyle(family: CardFonts.serif, size: 52, isBold: true, spacing: -0.02))
        let point = try typesetter.set(
            ".", TextStyle(family: CardFonts.serif, size: 52, isBold: true, spacing: -0.02, colour: .link))
        let markX = inner.maxX - mark.width - point.width
        mark.draw(on: canvas, x: markX, baseline: inner.maxY)
        point.draw(on: canvas, x: markX + mark.width, baseline: inner.maxY)
        let note = try typesetter.set(CardText.note, TextStyle(size: 26), width: inner.width, lines: 2)
        let top = inner.maxY - 72 - note.height
        note.draw(on: canvas, at: Point(inner.x, top))
        canvas.fill(Box(x: inner.x, y: top - 20, width: inner.width, height: 2), .line)
        return top - 36
    }
}
