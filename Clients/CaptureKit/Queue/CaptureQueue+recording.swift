public import CaptureProtocol

extension CaptureQueue {
    /// Registers the device unless it is registered, so that the checkpoints of a recording can be signed. Captures, and recordings in
    /// privacy mode, need no such call: they are signed when it is.
    /// - Throws: ``DeviceUnavailable``.
    public func register() async throws { _ = try await signing.currentDevice(replacing: nil) }

    /// Records a video and adds it. Durable when this returns; what was recorded before the process ended in between becomes a partial
    /// recording at the next ``run(untilEmpty:)``. In privacy mode the recording stays in the store, and its hash, numbers and what the
    /// settings share are sent.
    ///
    /// Cancelling the task ends the recording as its person does (``FrameSource/next()``). If it cannot be added then
    /// (`CancellationError`), the next ``run(untilEmpty:)`` adds it, and signs it whole.
    /// - Parameters:
    ///   - privacy: as it is when the recording begins.
    ///   - appVersion: such as ``DeviceInfo/appVersion``, of which the settings may share.
    ///   - source: camera and microphone.
    ///   - sound: `nil` to record without sound.
    /// - Throws: ``RecordingError``; ``StoreError`` `full`; ``FileError``; `CancellationError`; errors of source and encoders.
    @discardableResult
    public func record<Picture, Sound>(
        _ recording: VideoRecording, isQuickTime: Bool = false, privacy: PrivacySettings, appVersion: String? = nil,
        from source: some FrameSource<Picture, Sound>, video: some VideoEncoder<Picture>, sound: (some AudioEncoder<Sound>)?
    ) async throws -> StoredCapture {
        let recorder = try await store.beginRecording(
            recording, isQuickTime: isQuickTime, privacy: privacy, appVersion: appVersion, signer: QueueRecordingSigner(signing))
        defer { recorder.release() }
        try await recorder.record(from: source, video: video, sound: sound)
        let capture = try await store.addRecording(recorder.id, assert: assertion(over:))
        changed()
        return capture
    }

    /// Makes captures of recordings that were cut off because their process ended. Done by ``run(untilEmpty:)``, too.
    @discardableResult
    public func recoverRecordings() async throws -> [StoredCapture] {
        let captures = try await store.recoverRecordings(assert: assertion(over:))
        if !captures.isEmpty { changed() }
        return captures
    }

    /// Before another device than that of its checkpoints signs a video.
    /// - Parameter failed: what becomes of a video whose checkpoints cannot be read at all.
    /// - Returns: false if that cannot be done now: the video is held, or has failed.
    func dropCheckpoints(of capture: StoredCapture, orBecome failed: CaptureState) async throws -> Bool {
        do {
            try await store.dropCheckpoints(of: capture)
            return true
        } catch FileError.denied {
            // Before the first unlock after a restart.
            schedule.hold(capture.id, waiting(after: 1, nil))
        } catch let error where error is SealError || error is MetadataError || (error as? FileError) == .missing {
            try await store.database.update(capture.id) { row in
                row.facts.failure = CaptureFailure(.device("\(error)"))
                row.state = failed
            }
        } catch let error where Self.isOfDisk(error) {
            await waitForFiles(capture.id, error)
        }
        return false
    }
}
