import Synchronization

/// A position in a distributed trace (W3C Trace Context, level 1).
public struct TraceContext: Sendable, Hashable {
    /// 32 lower-case hex digits, not all zero.
    public let traceID: String
    /// 16 lower-case hex digits, not all zero.
    public let spanID: String
    public let isSampled: Bool

    /// The trace of this task's work; log lines carry its ids.
    @TaskLocal public static var current: TraceContext?

    private static let samplingBound = Atomic<UInt64>(SamplingRatio.all.bound)

    /// Called once at start: how many of the traces that begin in this process are sampled. Others keep what their `traceparent` says.
    public static func sample(_ ratio: SamplingRatio) { samplingBound.store(ratio.bound, ordering: .relaxed) }

    /// Starts a new trace.
    public init() {
        let word = Self.randomWord()
        traceID = Self.hex(Self.randomWord()) + Self.hex(word)
        spanID = Self.hex(Self.randomWord())
        isSampled = SamplingRatio(bound: Self.samplingBound.load(ordering: .relaxed)).takes(word)
    }

    /// Bytes of a `traceparent` that are read; one of version 00 has 55, later ones may have more.
    private static let longestHeader = 512

    /// Reads a `traceparent` header (§3.2); `nil` if it is malformed: the caller then starts a new trace.
    public init?(traceparent: String) {
        guard traceparent.utf8.count <= Self.longestHeader else { return nil }
        let fields = traceparent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0].count == 2, fields[1].count == 32, fields[2].count == 16, fields[3].count == 2,
            fields.prefix(4).allSatisfy({ $0.allSatisfy(Self.isLowerHex) }), !fields[0].elementsEqual("ff".utf8),
            fields.count == 4 || !fields[0].elementsEqual("00".utf8),
            fields[1].contains(where: { $0 != UInt8(ascii: "0") }), fields[2].contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        traceID = String(decoding: fields[1], as: UTF8.self)
        spanID = String(decoding: fields[2], as: UTF8.self)
        isSampled = fields[3].last.map { "13579bdf".utf8.contains($0) } ?? false
    }

    private init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// A new span in the same trace.
    public func child() -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.hex(Self.randomWord()), isSampled: isSampled)
    }

    /// The header that carries this context onwards.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static func isLowerHex(_ unit: UInt8) -> Bool {
        (0x30...0x39).contains(unit) || (0x61...0x66).contains(unit)
    }

    private static func randomWord() -> UInt64 { UInt64.random(in: 1...UInt64.max) }

    private static func hex(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The capture that this task works on; log lines carry its id.
public enum WorkContext {
    @TaskLocal public static var captureID: String?
}
