public import CaptureProtocol
import Models
import VideoChain

extension CaptureStore {
    /// Begins a recording. What it writes is sealed at once, under the id of the capture that becomes of it.
    /// - Parameters:
    ///   - isQuickTime: QuickTime in place of MP4.
    ///   - signer: signs the checkpoints.
    /// - Throws: ``StoreError`` `full`; ``RecordingError`` `invalidInput`; ``FileError``.
    public func beginRecording(
        _ recording: VideoRecording, isQuickTime: Bool = false, signer: any RecordingSigner
    ) async throws -> VideoRecorder {
        let usage = try await usage()
        guard !usage.isFull else { throw StoreError.full(usage) }
        return try VideoRecorder(
            recording, id: LocalID(), isQuickTime: isQuickTime, files: files, signer: signer,
            lock: try await FileLock.acquire(recordingLock, .shared))
    }

    /// Makes a capture of what was recorded: whole if the recording ended, else a partial one, of which nothing new is signed. Adding it twice,
    /// or after being killed while adding it, gives one capture.
    /// - Parameter assert: makes the assertion over the end; not asked for a partial recording.
    /// - Throws: ``RecordingError`` `empty` if there is no picture, with nothing left of it then; ``FileError``, `missing` if there is no
    ///   such recording; ``SealError``.
    @discardableResult
    public func addRecording(_ id: LocalID, assert: (ContentDigest) async -> Assertion) async throws -> StoredCapture {
        let lock = try await FileLock.acquire(folder + "/add.lock", .shared)
        defer { lock.unlock() }
        let log = SealedItem(id, .recording)
        if try await database.capture(id) == nil {
            let assembly = RecordingAssembly(id: id, files: files)
            do {
                try await add(try assembly.assemble(), of: id, assert)
            } catch {
                assembly.discard()
                try? files.remove(SealedItem(id, .assertion))
                if error as? RecordingError == .empty { try files.remove(log) }
                throw error
            }
            failPoints.reached("store.recording-row")
        }
        try files.remove(log)
        return try await capture(id)
    }

    private func add(_ parts: RecordingAssembly.Parts, of id: LocalID, _ assert: (ContentDigest) async -> Assertion) async throws {
        failPoints.reached("store.recording-sealed")
        var facts = CaptureFacts(
            capturedAt: parts.startedAt, photoDigest: parts.digest(of: .video), depthDigest: parts.digest(of: .depth),
            metadataDigest: parts.digest(of: .metadata), video: parts.facts)
        var sizes = parts.contents.mapValues(\.sizeBytes)
        var (state, device) = (CaptureState.pending, parts.facts.signer)
        switch parts.facts.isPartial ? Assertion.none : await assert(parts.clientDataHash) {
        case .made(let assertion, let signer) where device == nil || device == signer:
            sizes[.assertion] = try sealed(assertion, as: SealedItem(id, .assertion)).sizeBytes
            device = signer
        // One device signs all of a recording: see `dropCheckpoints`.
        case .made, .later: state = .assertionPending
        case .none: facts.goesWithoutAssertion = true
        }
        try await database.insert(NewRow(id: id, kind: .video, state: state, device: device, sizes: sizes, facts: facts))
    }

    /// Makes captures of all recordings whose processes were killed. Does nothing while one goes on; what cannot be read or written now stays
    /// for the next time.
    /// - Parameter assert: as of ``addRecording(_:assert:)``: for those that had ended.
    @discardableResult
    public func recoverRecordings(assert: (ContentDigest) async -> Assertion) async throws -> [StoredCapture] {
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
            } catch  where error is FileError || error is SealError {
                // Later: there is no space now, or the phone is locked. It keeps nothing else from being sent.
                continue
            }
        }
        return captures
    }

    private var recordingLock: String { folder + "/recording.lock" }

    /// Takes the assertions of checkpoints out of a video that another device than theirs is to sign and send: the server takes what does not
    /// verify for forged, and what is absent for absent.
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
    fileprivate func digest(of kind: SealedKind) -> ContentDigest { contents[kind]?.digest ?? .zero }
}
