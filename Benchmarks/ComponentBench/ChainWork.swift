import CaptureProtocol
import Crypto
import Foundation
import Movie
import VideoChain

/// The chain of a video of 100 MB, read in chunks as the store sends it, in relation to one SHA-256 of it (SPEC §10.12).
struct ChainWork {
    private let chunk = [UInt8](repeating: 7, count: 256 * 1024)
    private let movie: Movie
    private let chain: HashChain
    private let recording = ContentDigest(of: Array("recording".utf8))

    /// - Parameter movie: of which all bytes but `moov` are like those of `chunk`.
    init(_ movie: Movie) {
        self.movie = movie
        chain = HashChain(frameHashes: [], finalHash: .zero, soundFrames: 0, soundFinalHash: nil, checkpoints: [])
    }

    func print() {
        let bare = ProcessorTime.measure { hash() }
        Table.row("SHA-256 of 100 MB", bare)
        Table.row("chain of 100 MB, \(movie.video.samples.count) pictures", ProcessorTime.measure { compare() }, bare: bare)
    }

    private func hash() -> Bool {
        var hasher = SHA256()
        forEachChunk { hasher.update(bufferPointer: $0) }
        return ContentDigest(hasher.finalize()) != recording
    }

    /// - Returns: whether the chain was computed to its end, where it differs from one without frames.
    private func compare() -> Bool {
        var digests = SampleDigests(of: movie)
        forEachChunk { digests.update($0) }
        guard let result = digests.finish() else { return false }
        let comparison = ChainComparison(
            of: chain, recording: recording, movie: movie, depthWidth: 256, depthHeight: 192, depth: DepthDigests(),
            frames: result.frames, packets: result.packets)
        return comparison.breakAtFrame == 0
    }

    private func forEachChunk(_ body: (UnsafeRawBufferPointer) -> Void) {
        chunk.withUnsafeBytes { bytes in
            var rest = Int(movie.moov.upperBound)
            while rest > 0 {
                body(UnsafeRawBufferPointer(rebasing: bytes.prefix(rest)))
                rest -= min(rest, bytes.count)
            }
        }
    }
}
