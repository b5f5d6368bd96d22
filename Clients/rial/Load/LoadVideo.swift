import CaptureKit
import CaptureProtocol
import Foundation
import RialClient

/// One recorded video, signed anew for every capture: its checkpoints and its end.
struct LoadVideo: Sendable {
    private let folder: VideoFolder
    private let chain: HashChain
    /// The digests of the parts that are the same each time.
    private let (video, depth, metadata): (ContentDigest, ContentDigest, ContentDigest)
    let sizeBytes: Int

    /// - Throws: ``CommandFailure`` if the folder has no whole recording in the layout of version 2.
    init(folder: VideoFolder) throws {
        self.folder = folder
        guard case .chain(let chain) = try SubmittedHashChain.parse([UInt8](try Data(contentsOf: folder.hashChain))) else {
            throw CommandFailure("\(folder.hashChain.path) is not of version \(HashChain.version).")
        }
        self.chain = chain
        func part(_ url: URL) throws -> (digest: ContentDigest, count: Int) {
            let bytes = [UInt8](try Data(contentsOf: url, options: .mappedIfSafe))
            return (ContentDigest(of: bytes), bytes.count)
        }
        let (video, depth, metadata) = (try part(folder.video), try part(folder.depth), try part(folder.metadata))
        (self.video, self.depth, self.metadata) = (video.digest, depth.digest, metadata.digest)
        sizeBytes = video.count + depth.count + metadata.count
    }

    func upload(session: DeviceSession) async throws -> VideoUpload {
        var checkpoints: [VideoCheckpoint] = []
        for checkpoint in chain.checkpoints {
            let hash = VideoClientData.hash(of: checkpoint)
            checkpoints.append(checkpoint.with(assertion: try await session.assertion(clientDataHash: hash.bytes)))
        }
        let signed = try WireJSON.encode(chain.with(checkpoints))
        let final = VideoClientData.final(video: video, depth: depth, metadata: metadata, hashChain: ContentDigest(of: signed))
        let assertion = try await session.assertion(clientDataHash: final.bytes)
        return VideoUpload(
            boundary: MultipartBody.randomBoundary(), video: try .file(at: folder.video), isQuickTime: folder.isQuickTime,
            depth: try .file(at: folder.depth), hashChain: .bytes(signed), metadata: try .file(at: folder.metadata),
            assertion: .bytes(assertion))
    }
}
