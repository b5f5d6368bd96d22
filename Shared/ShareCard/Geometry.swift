/// Pixels from the upper left corner of the card.
struct Point: Sendable, Equatable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}

/// An upright rectangle in pixels.
struct Box: Sendable, Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var maxX: Double { x + width }
    var maxY: Double { y + height }
    var middle: Point { Point(x + width / 2, y + height / 2) }

    func inset(by margin: Double) -> Box {
        Box(x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin)
    }
}
