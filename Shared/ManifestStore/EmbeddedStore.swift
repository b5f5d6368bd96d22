/// The manifest store of a JPEG and where in the file it lies (C2PA 2.4 annex A.3.1; ISO/IEC 19566-5 annex D): one JUMBF box in APP11
/// segments that follow each other.
///
/// It reads only the form that we write and is stricter than a C2PA reader must be: a file that it cannot read is not ours, or was
/// rewritten.
public struct EmbeddedStore: Sendable, Equatable {
    /// Our stores have 15 to 40 kB.
    public static let maximumBytes = 1 << 20
    /// The store comes before the scan, after at most JFIF's header and EXIF.
    public static let maximumHeadBytes = 2 << 20
    /// Before the scan, its own included.
    public static let maximumSegments = 1000

    /// The box, joined from its segments.
    public let bytes: [UInt8]
    /// From the first segment's marker to the end of the last.
    public let range: Range<Int>

    /// - Parameter jpegHead: the file, or its first ``maximumHeadBytes``.
    /// - Returns: `nil` unless there is exactly one C2PA box, whole, in adjacent segments, and no other APP11 segment before the scan.
    public init?(jpegHead: [UInt8]) {
        guard jpegHead.count >= 4, jpegHead[0] == 0xff, jpegHead[1] == 0xd8 else { return nil }
        var position = 2
        var found: Box?
        var hasScan = false
        for _ in 0..<Self.maximumSegments {
            // We write no fill bytes and no markers without a length.
            guard position + 4 <= jpegHead.count, jpegHead[position] == 0xff, (0xc0...0xfe).contains(jpegHead[position + 1]) else {
                return nil
            }
            let marker = jpegHead[position + 1]
            hasScan = marker == 0xda
            if hasScan { break }
            guard !(0xd0...0xd9).contains(marker) else { return nil }
            let length = Int(jpegHead[position + 2]) << 8 | Int(jpegHead[position + 3])
            let end = position + 2 + length
            guard length >= 2, end <= jpegHead.count else { return nil }
            if marker == 0xeb {
                let payload = jpegHead[position + 4..<end]
                if found == nil {
                    found = Box(first: payload, at: position..<end)
                } else {
                    guard found?.append(payload, at: position..<end) == true else { return nil }
                }
                if found == nil { return nil }
            }
            position = end
        }
        guard hasScan, let found, found.isWhole else { return nil }
        bytes = found.bytes
        range = found.range
    }

    /// A box that is joined segment by segment. Each has CI "JP", the box instance number (2 bytes), the packet sequence number (4 bytes,
    /// from 1), the box's LBox and TBox, and a part of its content.
    private struct Box {
        private static let headBytes = 16
        private let instance: ArraySlice<UInt8>
        private let boxHead: ArraySlice<UInt8>
        private let declaredBytes: Int
        private var sequence: UInt32 = 1
        private(set) var bytes: [UInt8]
        private(set) var range: Range<Int>

        var isWhole: Bool { bytes.count == declaredBytes }

        init?(first payload: ArraySlice<UInt8>, at range: Range<Int>) {
            guard let parts = Self.parts(payload), parts.sequence == 1 else { return nil }
            let content = parts.content
            // The superbox's description box has the type: LBox, "jumd", then a UUID that begins with "c2pa".
            guard content.count >= 20, content.dropFirst(4).starts(with: Array("jumb".utf8)),
                content.dropFirst(12).starts(with: Array("jumdc2pa".utf8))
            else { return nil }
            let declared = content.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard declared >= content.count, declared <= EmbeddedStore.maximumBytes else { return nil }
            instance = parts.instance
            boxHead = content.prefix(8)
            declaredBytes = declared
            bytes = Array(content)
            self.range = range
        }

        /// - Returns: false unless the segment is the next part of this box.
        mutating func append(_ payload: ArraySlice<UInt8>, at range: Range<Int>) -> Bool {
            guard !isWhole, range.lowerBound == self.range.upperBound, let parts = Self.parts(payload),
                parts.instance.elementsEqual(instance), parts.sequence == sequence &+ 1, parts.content.count > 8,
                parts.content.prefix(8).elementsEqual(boxHead), parts.content.count - 8 <= declaredBytes - bytes.count
            else { return false }
            sequence = parts.sequence
            bytes += parts.content.dropFirst(8)
            self.range = self.range.lowerBound..<range.upperBound
            return true
        }

        private static func parts(
            _ payload: ArraySlice<UInt8>
        ) -> (instance: ArraySlice<UInt8>, sequence: UInt32, content: ArraySlice<UInt8>)? {
            guard payload.count > headBytes, payload.starts(with: Array("JP".utf8)) else { return nil }
            let sequence = payload.dropFirst(4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return (payload.dropFirst(2).prefix(2), sequence, payload.dropFirst(8))
        }
    }
}
