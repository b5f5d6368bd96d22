import CaptureProtocol
import TransparencyLog

/// What a monitor keeps of a leaf: 64 bytes.
struct LeafRecord: Sendable, Equatable {
    static let size = 64

    enum Kind: Sendable, Equatable {
        case shard, end
        case entry(LogLeaf.Kind)
    }

    let kind: Kind
    /// POSIX seconds; 0 of leaves that open or close a shard.
    let time: UInt64
    /// 16 bytes; zero of these.
    let subject: [UInt8]
    /// 32 bytes; of these the leaf's hash.
    let commitment: [UInt8]

    init(_ leaf: LogLeaf) {
        switch leaf {
        case .entry(let kind, let time, let subject, let commitment):
            self.init(kind: .entry(kind), time: UInt64(clamping: time), subject: subject.bytes, commitment: commitment.bytes)
        case .shard: self.init(kind: .shard, time: 0, subject: Array(repeating: 0, count: 16), commitment: leaf.hash.bytes)
        case .end: self.init(kind: .end, time: 0, subject: Array(repeating: 0, count: 16), commitment: leaf.hash.bytes)
        }
    }

    private init(kind: Kind, time: UInt64, subject: [UInt8], commitment: [UInt8]) {
        self.kind = kind
        self.time = time
        self.subject = subject
        self.commitment = commitment
    }

    /// `nil` for anything but ``bytes``.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.size, let kind = Self.kind(bytes[0]) else { return nil }
        self.init(
            kind: kind, time: bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }, subject: Array(bytes[16..<32]),
            commitment: Array(bytes[32..<64]))
    }

    var bytes: [UInt8] {
        let code: UInt8 =
            switch kind {
            case .shard: 1
            case .end: 2
            case .entry(let kind): UInt8(3 + (LogLeaf.Kind.allCases.firstIndex(of: kind) ?? 0))
            }
        return [code] + Array(repeating: 0, count: 7) + withUnsafeBytes(of: time.bigEndian) { Array($0) } + subject + commitment
    }

    /// The leaf's hash.
    var leafHash: ContentDigest? {
        guard case .entry(let kind) = kind else { return ContentDigest(bytes: commitment) }
        guard let subject = LogSubject(bytes: subject), let commitment = ContentDigest(bytes: commitment), let time = Int(exactly: time)
        else {
            return nil
        }
        return LogLeaf.entry(kind: kind, time: time, subject: subject, commitment: commitment).hash
    }

    private static func kind(_ code: UInt8) -> Kind? {
        switch code {
        case 1: .shard
        case 2: .end
        case 3..<UInt8(3 + LogLeaf.Kind.allCases.count): .entry(LogLeaf.Kind.allCases[Int(code) - 3])
        default: nil
        }
    }
}
