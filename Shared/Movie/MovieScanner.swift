/// Walks over the boxes of a file while it streams by, and keeps nothing of it but `moov` and where `mdat` lies.
///
/// Bytes of other boxes are skipped unread, so that scanning costs nothing but headers.
public struct MovieScanner: Sendable {
    /// The largest payload of `moov`.
    public static let largestMovieBox = 4 << 20
    /// The most boxes of a file. A recorder may give every sample an `mdat` of its own.
    public static let mostBoxes = 8192

    /// How many bytes were consumed.
    public private(set) var position: Int64 = 0
    private var header: [UInt8] = []
    /// `nil` between boxes.
    private var open: OpenBox?
    private var boxes = 0
    private var brand: [UInt8]?
    private var movieBox: (payload: [UInt8], at: Range<Int64>)?
    private var mediaData: [Range<Int64>] = []

    private struct OpenBox {
        let type: FourCharacterCode
        let payloadStart: Int64
        /// `nil`: at the end of the file.
        let end: Int64?
        /// How many bytes of the payload to keep at most.
        let keeps: Int
        var kept: [UInt8] = []
    }

    public init() {}

    /// - Throws: ``MovieError`` as soon as it is known that the file is refused; nothing may be consumed after that.
    public mutating func consume(_ bytes: ArraySlice<UInt8>) throws(MovieError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(MovieError) in try consume(UnsafeRawBufferPointer(buffer)) }
    }

    /// The same for bytes in a buffer instead of a slice.
    /// - Throws: ``MovieError``, likewise.
    public mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(MovieError) {
        var index = 0
        while index < bytes.count {
            if open != nil {
                try take(from: bytes, at: &index)
            } else {
                header.append(bytes[index])
                index += 1
                position += 1
                try openBox()
            }
            closeBox()
        }
    }

    /// The movie, with all the checks of SPEC §10.1.
    /// - Throws: ``MovieError`` if one fails, or if the file ends too early.
    public consuming func finish() throws(MovieError) -> Movie {
        guard brand != nil else { throw Self.notMovie }
        guard header.isEmpty, open?.end == nil else { throw MovieError(.truncated, "ends inside a box") }
        if let open { close(open, at: position) }
        guard let movieBox else { throw MovieError(.movieBoxMissing, "has no moov box") }
        guard let brand, brand.count == 4 else { throw MovieError(.malformedBox, "has a malformed ftyp box") }
        return try Movie(
            parsing: movieBox.payload[...], at: movieBox.at, fileLength: position,
            majorBrand: FourCharacterCode(brand.reduce(0) { $0 << 8 | UInt32($1) }), mediaData: mediaData)
    }

    private static let notMovie = MovieError(.notMovie, "does not begin with an ftyp box")

    /// Opens a box once its header is whole.
    private mutating func openBox() throws(MovieError) {
        guard header.count >= 8 else { return }
        let short = header.prefix(4).reduce(0) { $0 << 8 | UInt64($1) }
        guard short != 1 || header.count == 16 else { return }
        let type = FourCharacterCode(header[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
        let size = short == 1 ? header.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } : short
        try check(type)
        let start = position - Int64(header.count)
        guard short == 0 || size >= header.count, size <= UInt64(Int64.max - start) else {
            throw MovieError(.truncated, "has a box whose size cannot be")
        }
        let keeps: Int
        switch type {
        case "moov": keeps = Self.largestMovieBox
        case "ftyp": keeps = 4
        default: keeps = 0
        }
        if type == "moov", size > UInt64(Self.largestMovieBox + header.count) { throw Self.movieBoxTooLarge }
        open = OpenBox(type: type, payloadStart: position, end: short == 0 ? nil : start + Int64(size), keeps: keeps)
        if type == "ftyp" { brand = [] }
        header = []
    }

    private static let movieBoxTooLarge = MovieError(.movieBoxTooLarge, "has a moov box of more than 4 MiB")

    /// What may stand at the top, and where.
    private mutating func check(_ type: FourCharacterCode) throws(MovieError) {
        guard boxes > 0 || type == "ftyp" else { throw Self.notMovie }
        boxes += 1
        guard boxes <= Self.mostBoxes else { throw MovieError(.tooManyBoxes, "has more than \(Self.mostBoxes) boxes") }
        switch type {
        case "ftyp" where boxes > 1: throw MovieError(.boxTwice, "has two ftyp boxes")
        case "moof": throw MovieError(.fragmented, "is fragmented")
        case "moov" where movieBox != nil: throw MovieError(.movieBoxTwice, "has two moov boxes")
        default: break
        }
    }

    /// Takes from the payload of the open box what is there.
    private mutating func take(from bytes: UnsafeRawBufferPointer, at index: inout Int) throws(MovieError) {
        guard var box = open.take() else { return }
        let count = Int(min(Int64(bytes.count - index), box.end.map { $0 - position } ?? .max))
        let part = bytes[index..<index + count]
        if box.type == "moov", part.count > box.keeps - box.kept.count { throw Self.movieBoxTooLarge }
        box.kept.append(contentsOf: part.prefix(box.keeps - box.kept.count))
        open = box
        index += count
        position += Int64(count)
    }

    private mutating func closeBox() {
        guard let box = open, box.end == position else { return }
        open = nil
        close(box, at: position)
    }

    private mutating func close(_ box: OpenBox, at end: Int64) {
        switch box.type {
        case "ftyp": brand = box.kept
        case "moov": movieBox = (box.kept, box.payloadStart..<end)
        case "mdat": mediaData.append(box.payloadStart..<end)
        default: break
        }
    }
}
