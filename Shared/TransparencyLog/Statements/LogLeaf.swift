public import CaptureProtocol

/// An entry of the log: all that becomes public by itself (SPEC §14 "Statement and leaf"). Lines of ASCII, each with LF.
public enum LogLeaf: Sendable, Equatable {
    /// What the entry's statement does, or that the capture was withdrawn, for which there is no statement.
    public enum Kind: String, Sendable, CaseIterable {
        case assessment, credentials, reassessment, revocation, withdrawal

        public init(_ kind: Statement.Kind) {
            switch kind {
            case .assessment: self = .assessment
            case .credentials: self = .credentials
            case .reassessment: self = .reassessment
            case .revocation: self = .revocation
            }
        }
    }

    /// `rial.leaf/1`.
    /// - Parameters:
    ///   - time: of the statement, in POSIX seconds.
    ///   - commitment: to the statement; of a withdrawal 32 random bytes that nothing opens.
    case entry(kind: Kind, time: Int, subject: LogSubject, commitment: ContentDigest)
    /// `rial.shard/1`, leaf 0 of every shard.
    /// - Parameters:
    ///   - previous: origin of the shard before it; `nil`, written as `-`, for the first one.
    ///   - head: its final size and root; of the first shard ``TreeHead/empty``.
    case shard(previous: TextLine?, head: TreeHead)
    /// `rial.end/1`, the last leaf of a closed shard.
    case end(next: VerifierKey)

    /// What an entry of c2sp.org/tlog-tiles can hold.
    public static let maximumBytes = 65_535
    private static let (entryType, shardType, endType) = ("rial.leaf/1", "rial.shard/1", "rial.end/1")

    /// The leaf as it is hashed and served.
    public var bytes: [UInt8] {
        switch self {
        case .entry(let kind, let time, let subject, let commitment):
            Self.lines(Self.entryType, kind.rawValue, String(time), subject.hex, commitment.hex)
        case .shard(let previous, let head):
            Self.lines(Self.shardType, previous?.text ?? "-", String(head.size), head.root.base64)
        case .end(let next): Self.lines(Self.endType, next.description)
        }
    }

    /// SHA-256(0x00 ‖ leaf).
    public var hash: ContentDigest { MerkleHash.leaf(bytes) }

    /// Reads a leaf.
    /// - Throws: ``BundleError`` for anything that ``bytes`` would not have been.
    public init(bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.maximumBytes, let leaf = Self.read(bytes), leaf.bytes == bytes else {
            throw BundleError(.leaf, "is not a leaf of rial's logs")
        }
        self = leaf
    }

    private static func read(_ bytes: [UInt8]) -> LogLeaf? {
        var reader = LineReader(bytes)
        guard let type = reader.next() else { return nil }
        if type.elementsEqual(entryType.utf8) { return entry(&reader) }
        if type.elementsEqual(shardType.utf8) { return shard(&reader) }
        if type.elementsEqual(endType.utf8) {
            return reader.next().flatMap { try? VerifierKey($0) }.map { .end(next: $0) }
        }
        return nil
    }

    private static func entry(_ reader: inout LineReader) -> LogLeaf? {
        // As bytes: a line may have 64 KiB, and `String` would take seconds to compare so many combining marks.
        guard let word = reader.next(), let kind = Kind.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word) }),
            let time = reader.next().flatMap(UInt64.init(decimal:)), time <= CanonicalJSON.largestInteger,
            let subject = reader.next().flatMap({ LogSubject(hex: String(decoding: $0, as: UTF8.self)) }),
            let commitment = reader.next().flatMap({ ContentDigest(lowerCaseHex: String(decoding: $0, as: UTF8.self)) })
        else { return nil }
        return .entry(kind: kind, time: Int(time), subject: subject, commitment: commitment)
    }

    private static func shard(_ reader: inout LineReader) -> LogLeaf? {
        guard let origin = reader.next(), let size = reader.next().flatMap(UInt64.init(decimal:)),
            let root = reader.next().flatMap({ ContentDigest(base64Line: $0) })
        else { return nil }
        let head = TreeHead(size: size, root: root)
        guard !origin.elementsEqual("-".utf8) else { return head == .empty ? .shard(previous: nil, head: head) : nil }
        guard let name = TextLine(bytes: origin), name.bytes.allSatisfy({ $0 < 0x7f }) else { return nil }
        return .shard(previous: name, head: head)
    }

    private static func lines(_ lines: String...) -> [UInt8] { lines.flatMap { Array(($0 + "\n").utf8) } }
}
