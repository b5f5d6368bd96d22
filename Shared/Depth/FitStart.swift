/// Where a fit begins: the pixels that count in its first round, all alike.
///
/// One start is not enough: a screen that leaves an eighth of the centre to the room beside it pulls a surface that is fitted to
/// all pixels over, and no weights bring it back.
enum FitStart: CaseIterable {
    case all, left, right, top, bottom, middle

    /// Columns and rows of a centre of this size; the middle is half of each side.
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
