/// A witness's signature with its time: u64 big-endian ‖ Ed25519 (c2sp.org/tlog-cosignature).
struct Cosignature {
    static let latest = UInt64(Int64.max)

    /// POSIX time.
    let seconds: UInt64
    /// 64 bytes.
    let signature: [UInt8]

    init(seconds: UInt64, signature: [UInt8]) {
        self.seconds = seconds
        self.signature = signature
    }

    /// `nil` unless there are 72 bytes and the time is at most ``latest``.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 72 else { return nil }
        seconds = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        signature = Array(bytes.dropFirst(8))
        guard seconds <= Self.latest else { return nil }
    }

    var bytes: [UInt8] { withUnsafeBytes(of: seconds.bigEndian) { Array($0) } + signature }

    /// The signed text.
    static func message(_ text: [UInt8], at seconds: UInt64) -> [UInt8] { Array("cosignature/v1\ntime \(seconds)\n".utf8) + text }
}
