import Blocking
import CaptureProtocol
import Hummingbird
import Models
import NIOCore
import ObjectStorage
import TransparencyLog

/// Keeps media in files without names while they become part of bundles: a video is never in memory whole.
struct MediaScratch: Sendable {
    private static let pieceBytes: Int64 = 256 << 10
    let store: any ObjectStore
    let scratch: Scratch

    /// Reads an object, compared with its digest.
    /// - Throws: ``NoScratchSpace``; ``ObjectStorageError``.
    func read(_ media: NamedMedia) async throws -> Held {
        let executor = scratch.executors[Int.random(in: scratch.executors.indices)]
        let file = try ScratchFile(in: scratch.folder, of: scratch.quota)
        var bundled = BundledFile(name: media.name.rawValue)
        for try await chunk in try await store.stream(media.media) {
            let bytes = Array(chunk.readableBytesView)
            bundled = try await executor.run { [bundled] in
                var bundled = bundled
                bundled.append(bytes)
                try file.append(bytes[...])
                return bundled
            }
        }
        return Held(bundled: bundled, file: file, executor: executor)
    }

    /// An object in a file of its own.
    struct Held: Sendable {
        let bundled: BundledFile
        fileprivate let file: ScratchFile
        fileprivate let executor: BlockingExecutor

        func write(to writer: inout any ResponseBodyWriter) async throws {
            var position: Int64 = 0
            while position < file.sizeBytes {
                let range = position..<min(position + MediaScratch.pieceBytes, file.sizeBytes)
                guard let bytes = try await executor.run({ [file] in file.bytes(range) }), bytes.count == range.count else {
                    throw NoScratchSpace()
                }
                try await writer.write(ByteBuffer(bytes: bytes))
                position = range.upperBound
            }
        }
    }
}
