public import CaptureProtocol
import Crypto
public import Movie

/// The chain over a video's samples and their depth, in file order (SPEC §10.2): H(0), H(1), …
public struct FrameChain: Sendable, Equatable {
    /// H(``count``).
    public private(set) var hash: ContentDigest
    /// How many samples have been added.
    public private(set) var count = 0

    /// Begins with H(0).
    /// - Parameters:
    ///   - recording: SHA-256 of the recording's bytes.
    ///   - depthWidth: pixels of a depth map, like `depthHeight`.
    public init(recording: ContentDigest, format: VideoFormat, depthWidth: UInt16, depthHeight: UInt16) {
        var hasher = SHA256()
        hasher.update(data: Self.tag)
        hasher.update(data: recording.bytes)
        hasher.update(data: format.codec.code.bytes)
        for number in [format.width, format.height, format.rotation.rawValue] { hasher.update(bigEndian: number) }
        hasher.update(bigEndian: format.timescale)
        for number in [depthWidth, depthHeight] { hasher.update(bigEndian: number) }
        hasher.update(data: ContentDigest(of: format.configuration).bytes)
        hash = ContentDigest(hasher.finalize())
    }

    /// Adds the next sample in file order.
    /// - Parameters:
    ///   - sample: SHA-256 of the sample.
    ///   - depth: SHA-256 of its depth map's little-endian float32 values; `nil` if it has none.
    ///   - time: p(n), in ticks of the track's timescale.
    public mutating func append(sample: ContentDigest, depth: ContentDigest?, time: Int64) {
        var hasher = SHA256()
        hasher.update(data: sample.bytes)
        hasher.update(data: (depth ?? Self.noDepth).bytes)
        hasher.update(bigEndian: time)
        hasher.update(data: hash.bytes)
        hash = ContentDigest(hasher.finalize())
        count += 1
    }

    private static let tag = Array("rial-video-chain-v2".utf8) + [0]
    private static let noDepth = ContentDigest(of: [UInt8]())
}

/// The chain over a video's packets of sound (SPEC §10.2): A(0), A(1), …
public struct SoundChain: Sendable, Equatable {
    /// A(``count``).
    public private(set) var hash: ContentDigest
    /// How many packets have been added.
    public private(set) var count = 0

    /// Begins with A(0).
    /// - Parameter recording: SHA-256 of the recording's bytes.
    public init(recording: ContentDigest, format: SoundFormat) {
        var hasher = SHA256()
        hasher.update(data: Self.tag)
        hasher.update(data: recording.bytes)
        hasher.update(data: SoundFormat.code.bytes)
        hasher.update(bigEndian: format.timescale)
        hasher.update(data: ContentDigest(of: format.descriptor).bytes)
        hash = ContentDigest(hasher.finalize())
    }

    /// Adds the next packet in file order.
    /// - Parameters:
    ///   - packet: SHA-256 of the packet.
    ///   - time: p(m), in ticks of the track's timescale.
    public mutating func append(packet: ContentDigest, time: Int64) {
        var hasher = SHA256()
        hasher.update(data: packet.bytes)
        hasher.update(bigEndian: time)
        hasher.update(data: hash.bytes)
        hash = ContentDigest(hasher.finalize())
        count += 1
    }

    private static let tag = Array("rial-audio-chain-v2".utf8) + [0]
}

extension HashFunction {
    mutating func update(bigEndian number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { update(bufferPointer: $0) }
    }
}
