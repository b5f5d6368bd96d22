public import CaptureProtocol
import Crypto
public import Movie

/// Hashes the samples of a movie, and its tables, while its bytes pass once, in file order, without keeping them.
public struct SampleDigests {
    /// A sample and where its digest belongs.
    private struct Target {
        enum Kind { case frame, packet, movieBox }
        let range: Range<Int64>
        let kind: Kind
        let index: Int
    }

    /// The digests of a whole file.
    public struct Result: Sendable, Equatable {
        /// The digests of all samples, in decoding order.
        public let frames: [ContentDigest]
        /// The digests of all packets of sound, in order.
        public let packets: [ContentDigest]
        /// The digest of the payload of `moov`: whoever read the tables before can tell that they are those of this file.
        public let movieBox: ContentDigest
    }

    /// In the order of the file; no two overlap.
    private let targets: [Target]
    private var next = 0
    private var position: Int64 = 0
    private var hasher = SHA256()
    private var frames: [ContentDigest?]
    private var packets: [ContentDigest?]
    private var movieBox: ContentDigest?

    public init(of movie: Movie) {
        func targets(_ samples: [MovieSample], _ kind: Target.Kind) -> [Target] {
            samples.enumerated().map { index, sample in
                Target(range: sample.offset..<sample.offset + Int64(sample.size), kind: kind, index: index)
            }
        }
        let samples = targets(movie.video.samples, .frame) + targets(movie.sound?.samples ?? [], .packet)
        self.targets = (samples + [Target(range: movie.moov, kind: .movieBox, index: 0)])
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        frames = Array(repeating: nil, count: movie.video.samples.count)
        packets = Array(repeating: nil, count: movie.sound?.samples.count ?? 0)
    }

    /// Takes the next bytes of the file, in chunks of any size.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let chunk = position..<position + Int64(bytes.count)
        while next < targets.count, targets[next].range.lowerBound < chunk.upperBound {
            let target = targets[next]
            let part = target.range.clamped(to: chunk)
            hasher.update(
                bufferPointer: UnsafeRawBufferPointer(
                    rebasing: bytes[Int(part.lowerBound - chunk.lowerBound)..<Int(part.upperBound - chunk.lowerBound)]))
            guard target.range.upperBound <= chunk.upperBound else { break }
            let digest = ContentDigest(hasher.finalize())
            hasher = SHA256()
            switch target.kind {
            case .frame: frames[target.index] = digest
            case .packet: packets[target.index] = digest
            case .movieBox: movieBox = digest
            }
            next += 1
        }
        position = chunk.upperBound
    }

    /// - Returns: `nil` if the file ended before.
    public func finish() -> Result? {
        guard next == targets.count, let movieBox else { return nil }
        return Result(frames: frames.compactMap(\.self), packets: packets.compactMap(\.self), movieBox: movieBox)
    }
}
