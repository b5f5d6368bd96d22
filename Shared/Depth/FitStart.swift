/// The initialisation of a fit: the pixels of its first round, with equal weights.
///
/// One start is not enough: if a screen leaves an eighth of the centre to the room beside it, a fit that starts with all pixels converges
/// to a surface between the two, and reweighting does not correct that.
enum FitStart: CaseIterable {
    case all, left, right, top, bottom, middle

    /// Columns and rows in a centre of this size; `middle` is half of each side.
    func region(width: Int, height: Int) -> (columns: Range<Int>, rows: Range<Int>) {
        let (columns, rows) = (0..<width, 0..<height)
        return switch self {
        case .all: (columns, rows)
        case .left: (0..<width / 2, rows)
        case .right: (width - width / 2..<width, rows)
        case .top: (columns, 0..<height / 2)
        case .bottom: (columns, height - height / 2..<height)
        case .middle: (width / 4..<width - width / 4, height / 4..<height - height / 4)
        }
    }
}
