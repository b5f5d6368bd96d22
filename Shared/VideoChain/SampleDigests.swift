public import CaptureProtocol
import Crypto
public import Movie

/// Hashes the samples of a movie while its bytes pass once, in file order, without keeping them.
public struct SampleDigests {
    /// A sample and where its digest belongs.
    private struct Target {
        let range: Range<Int64>
        let isSound: Bool
        let index: Int
    }

    /// In the order of the file; no two overlap.
    private let targets: [Target]
    private var next = 0
    private var position: Int64 = 0
    private var hasher = SHA256()
    private var frames: [ContentDigest?]
    private var packets: [ContentDigest?]

    public init(of movie: Movie) {
        func targets(_ samples: [MovieSample], isSound: Bool) -> [Target] {
            samples.enumerated().map { index, sample in
                Target(range: sample.offset..<sample.offset + Int64(sample.size), isSound: isSound, index: index)
            }
        }
        self.targets = (targets(movie.video.samples, isSound: false) + targets(movie.sound?.samples ?? [], isSound: true))
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
            if target.isSound { packets[target.index] = digest } else { frames[target.index] = digest }
            next += 1
        }
        position = chunk.upperBound
    }

    /// - Returns: the digests of all samples and all packets, in their own order; `nil` if the file ended before.
    public func finish() -> (frames: [ContentDigest], packets: [ContentDigest])? {
        guard next == targets.count else { return nil }
        return (frames.compactMap(\.self), packets.compactMap(\.self))
    }
}
