import CaptureKit
import CaptureProtocol
import Foundation

/// The sealed store of one recording in the folder that gets its parts, while it is not finished.
struct UnfinishedRecording {
    /// Absolute.
    let folder: String

    private var phone: String { folder + "/unfinished" }
    var exists: Bool { FileManager.default.fileExists(atPath: phone) }

    func store() async throws -> CaptureStore {
        try PosixFiles().createFolder(phone)
        return try await CaptureStore.open(in: phone + "/store", secrets: FolderSecureStore(folder: phone + "/keychain"))
    }

    /// Writes the parts in plain, and removes the store.
    func export(_ capture: StoredCapture, from store: CaptureStore) throws {
        for (kind, name) in capture.partNames { try store.export(kind, of: capture.id, to: folder + "/" + name) }
        try store.close()
        try FileManager.default.removeItem(atPath: phone)
    }
}

extension StoredCapture {
    /// The sealed parts that are there, and what they are called outside.
    var partNames: [(SealedKind, String)] {
        let isQuickTime = facts.video?.isQuickTime == true
        let (media, depth) =
            kind.type == .video
            ? (PartFile.video(isQuickTime: isQuickTime), PartFile.videoDepth) : (PartFile.photo, PartFile.photoDepth)
        let names: [(SealedKind, String)] = [
            (.photo, media), (.video, media), (.original, media), (.depth, depth), (.originalDepth, depth),
            (.hashChain, PartFile.hashChain), (.originalHashChain, PartFile.hashChain), (.metadata, PartFile.metadata),
            (.originalMetadata, PartFile.metadata),
            // Not that of a video's end, for which `rial video send` would take it.
            (.assertion, kind == .hashOnlyVideo ? PartFile.payloadAssertion : PartFile.assertion), (.thumbnail, PartFile.thumbnail),
            (.payload, PartFile.payload),
        ]
        return names.filter { sizes[$0.0] != nil }
    }

    var recordingSummary: String {
        guard let video = facts.video else { return "no video" }
        let checkpoints =
            mode == .full ? "\(video.signedCheckpointCount) of \(video.checkpointCount) checkpoints signed" : "kept in privacy mode"
        return "\(video.frameCount) frames, \(video.durationMilliseconds) ms, \(video.depthCount) depth maps, "
            + "\(video.soundPacketCount) packets of sound, \(checkpoints), \(hasAssertion ? "signed" : "not signed")\(video.isPartial ? ", partial" : "")"
    }
}
