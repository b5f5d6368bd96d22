public import CaptureProtocol
import Models
import VideoChain

extension CaptureStore {
    /// Begins a recording. What it writes is sealed at once, under the id of the capture that becomes of it.
    /// - Parameters:
    ///   - isQuickTime: QuickTime in place of MP4.
    ///   - privacy: as it is now; it stays with the recording, also if that is cut off.
    ///   - appVersion: told in privacy mode, if its settings share it.
    ///   - signer: signs the checkpoints; not asked in privacy mode.
    /// - Throws: ``StoreError`` `full`; ``RecordingError`` `invalidInput`; ``FileError``.
    public func beginRecording(
        _ recording: VideoRecording, isQuickTime: Bool = false, privacy: PrivacySettings, appVersion: String? = nil,
        signer: any RecordingSigner
    ) async throws -> VideoRecorder {
        let usage = try await usage()
        guard !usage.isFull else { throw StoreError.full(usage) }
        return try VideoRecorder(
            recording, id: LocalID(), isQuickTime: isQuickTime, privacy: RecordingPrivacy(privacy, appVersion: appVersion), files: files,
            signer: signer, lock: try await FileLock.acquire(recordingLock, .shared))
    }

    /// Makes a capture of what was recorded: whole if the recording ended, else a partial one, of which nothing new is signed. In privacy
    /// mode its payload is made here, once, and signed however the recording ended. Adding it twice, or after being killed while adding it,
    /// gives one capture.
    /// - Parameter assert: makes the assertion over the end or the payload; not asked for a partial recording that is sent in full.
    /// - Throws: ``RecordingError`` `empty` if there is too little, with nothing left of it then, and `noDepth`; ``FileError``,
    ///   `missing` if there is no such recording; ``SealError``.
    @discardableResult
    public func addRecording(_ id: LocalID, assert: (ContentDigest) async -> Assertion) async throws -> StoredCapture {
        let lock = try await FileLock.acquire(folder + "/add.lock", .shared)
        defer { lock.unlock() }
        let log = SealedItem(id, .recording)
        if let capture = try await database.capture(id) {
            try files.remove(log)
            return capture
        }
        let assembly = RecordingAssembly(id: id, files: files)
        let capture: StoredCapture
        do {
            capture = try await add(try assembly.assemble(), of: id, assert)
        } catch {
            assembly.discard()
            if error as? RecordingError == .empty { try files.remove(log) }
            throw error
        }
        failPoints.reached("store.recording-row")
        try files.remove(log)
        return capture
    }

    private func add(
        _ parts: RecordingAssembly.Parts, of id: LocalID, _ assert: (ContentDigest) async -> Assertion
    ) async throws -> StoredCapture {
        failPoints.reached("store.recording-sealed")
        let kind: CaptureKind = parts.keptBack == nil ? .video : .hashOnlyVideo
        var facts = parts.captureFacts(kind)
        var (sizes, device) = (parts.contents.mapValues(\.sizeBytes), parts.facts.signer)
        let isUnsigned = kind.mode == .full && parts.facts.isPartial
        var assertion: Assertion = isUnsigned ? .none : await assert(parts.clientDataHash)
        if case .made(let bytes, let signer) = assertion {
            if device == nil || device == signer {
                sizes[.assertion] = try sealed(bytes, as: SealedItem(id, .assertion)).sizeBytes
                device = signer
            } else {
                // One device signs all of a recording: see `dropCheckpoints`.
                assertion = .later
            }
        }
        let state = facts.state(after: assertion, kind.mode)
        failPoints.reached("store.recording-signed")
        return try await database.insert(NewRow(id: id, kind: kind, state: state, device: device, sizes: sizes, facts: facts))
    }

    /// Makes captures of all recordings whose processes were killed. Does nothing while one goes on; what cannot become one now stays for
    /// the next time.
    /// - Parameters:
    ///   - assert: as of ``addRecording(_:assert:)``: for those that had ended.
    ///   - postponed: called with the error of each that stays.
    @discardableResult
    public func recoverRecordings(
        assert: (ContentDigest) async -> Assertion, postponed: (any Error) -> Void = { _ in }
    ) async throws -> [StoredCapture] {
        let logs = try files.contents().items.filter { $0.kind == .recording }
        guard !logs.isEmpty, let lock = try FileLock.tryLock(recordingLock) else { return [] }
        defer { lock.unlock() }
        var captures: [StoredCapture] = []
        for log in logs {
            do {
                captures.append(try await addRecording(log.capture, assert: assert))
            } catch RecordingError.empty {
                continue
            } catch FileError.missing {
                // Another process was faster.
                continue
            } catch SealError.notAuthentic {
                // Killed before its first entry.
                try files.remove(log)
            } catch  where !(error is CancellationError || error is StoreError) {
                // Later: there is no space now, or the phone is locked; or it is such as no server takes. It keeps nothing else from being
                // sent.
                postponed(error)
            }
        }
        return captures
    }

    private var recordingLock: String { folder + "/recording.lock" }

    /// Takes the assertions of checkpoints out of a video that another device than theirs is to sign and send: the server takes what does
    /// not verify for forged, and what is absent for absent.
    func dropCheckpoints(of capture: StoredCapture) async throws {
        guard capture.facts.video?.signer != nil else { return }
        // The temporary file is not another process's to remove.
        let lock = try await FileLock.acquire(folder + "/add.lock", .shared)
        defer { lock.unlock() }
        guard case .chain(let chain) = try SubmittedHashChain.parse(bytes(.hashChain, of: capture.id)) else {
            throw SealError.notAuthentic
        }
        let unsigned = HashChain(
            frameHashes: chain.frameHashes, finalHash: chain.finalHash, soundFrames: chain.soundFrames,
            soundFinalHash: chain.soundFinalHash, checkpoints: chain.checkpoints.map { $0.signed(nil) })
        let content = try sealed(WireJSON.encode(unsigned), as: SealedItem(capture.id, .hashChain))
        failPoints.reached("store.chain-replaced")
        try await database.update(capture.id) { row in
            row.sizes[.hashChain] = content.sizeBytes
            row.facts.video?.hashChainDigest = content.digest
            row.facts.video?.signedCheckpointCount = 0
            row.facts.video?.signer = nil
        }
    }
}

extension RecordingAssembly.Parts {
    fileprivate func captureFacts(_ kind: CaptureKind) -> CaptureFacts {
        let kinds = VideoPartKinds(of: kind.mode)
        func digest(_ kind: SealedKind) -> ContentDigest { contents[kind]?.digest ?? .zero }
        return CaptureFacts(
            capturedAt: startedAt, photoDigest: digest(kinds.video), depthDigest: digest(kinds.depth),
            metadataDigest: digest(keptBack == nil ? kinds.metadata : .payload), flags: keptBack?.flags, depthWidth: keptBack?.depthWidth,
            depthHeight: keptBack?.depthHeight, video: facts)
    }
}
