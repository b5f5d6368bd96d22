import CaptureProtocol

/// What goes with a recording in privacy mode from its beginning: the settings of that moment, whatever is set before it is sent.
struct RecordingPrivacy: Sendable, Equatable, Codable {
    let flags: MetadataFlags
    let appVersion: String?

    /// - Returns: `nil` unless privacy mode is on.
    init?(_ settings: PrivacySettings, appVersion: String?) {
        guard settings.isOn else { return nil }
        flags = settings.flags
        self.appVersion = appVersion
    }

    /// What is signed and sent of a video (SPEC §10.11): always the same bytes for the same recording.
    /// - Parameters:
    ///   - mediaHash: SHA-256 of its file.
    ///   - video: whose depth is left out if the server would refuse it.
    /// - Throws: `HashOnlyError` if the server would refuse the rest.
    func payload(_ recording: VideoRecording, mediaHash: ContentDigest, video: SignedVideo) throws(HashOnlyError) -> [UInt8] {
        let facts = HashOnlyPayload.Facts(
            capturedAt: recording.startedAt, location: recording.location, deviceModel: recording.deviceModel,
            osVersion: recording.osVersion, appVersion: appVersion)
        do throws(HashOnlyError) {
            return try HashOnlyPayload(mediaHash: mediaHash, facts: facts, sharing: flags, video: video).bytes()
        } catch {
            guard case .depth = error else { throw error }
            let rest = SignedVideo(
                durationMilliseconds: video.durationMilliseconds, frameCount: video.frameCount, finalHash: video.finalHash, depth: nil)
            return try HashOnlyPayload(mediaHash: mediaHash, facts: facts, sharing: flags, video: rest).bytes()
        }
    }

    /// Whether the server would take what is shared of a recording: known before it begins, for nothing can be changed afterwards.
    func fits(_ recording: VideoRecording) -> Bool {
        let shortest = SignedVideo(durationMilliseconds: 1, frameCount: 1, finalHash: .zero, depth: nil)
        return (try? payload(recording, mediaHash: .zero, video: shortest)) != nil
    }
}
