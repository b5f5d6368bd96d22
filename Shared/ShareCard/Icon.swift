/// A drawing of lines in a grid of 24 × 24, stroke 2, round caps and joins: the same as the site's icons.
struct Icon: Sendable {
    struct Line: Sendable {
        let points: [Point]
        var isClosed = false
    }
    static let side = 24.0
    static let stroke = 2.0

    let lines: [Line]
    var circles: [(middle: Point, radius: Double)] = []

    static let alert = Icon(lines: [
        Line(points: [Point(12, 3.5), Point(22, 20.5), Point(2, 20.5)], isClosed: true),
        Line(points: [Point(12, 10), Point(12, 14.5)]), Line(points: [Point(12, 17.4), Point(12, 17.5)]),
    ])
    static let hash = Icon(lines: [
        Line(points: [Point(9.5, 4), Point(7.5, 20)]), Line(points: [Point(16.5, 4), Point(14.5, 20)]),
        Line(points: [Point(4.5, 9), Point(20.5, 9)]), Line(points: [Point(3.5, 15), Point(19.5, 15)]),
    ])
    static let flask = Icon(lines: [
        Line(points: [Point(10, 3.5), Point(14, 3.5)]),
        Line(points: [Point(11, 3.5), Point(11, 9), Point(5, 19.5), Point(19, 19.5), Point(13, 9), Point(13, 3.5)]),
        Line(points: [Point(8, 15), Point(16, 15)]),
    ])
    static let camera = Icon(
        lines: [
            Line(
                points: [
                    Point(3.5, 8), Point(7.5, 8), Point(9, 5), Point(15, 5), Point(16.5, 8), Point(20.5, 8), Point(20.5, 19.5),
                    Point(3.5, 19.5),
                ], isClosed: true)
        ],
        circles: [(Point(12, 13.5), 3.3)])

    /// The bars of a badge: how many of three are filled.
    static let bars = [
        Box(x: 3, y: 14, width: 5, height: 7), Box(x: 9.5, y: 9, width: 5, height: 12), Box(x: 16, y: 3, width: 5, height: 18),
    ]
    static let barRadius = 1.2
    static let outlineStroke = 1.6
}
