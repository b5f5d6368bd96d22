import CaptureProtocol
import Foundation
import Synchronization

extension CaptureQueue {
    /// All captures, at a moment at which the process that sends sends none. Those that are `uploading` all the same, such as of a process
    /// that ended while it recorded an answer, wait again.
    func capturesToSend() async throws -> [StoredCapture] {
        let captures = try await store.captures()
        guard captures.contains(where: { $0.state == .uploading }), try await store.resetUploading() else { return captures }
        return try await store.captures()
    }

    /// Sends a capture once, or again at once where an answer has a remedy, and records what follows (``UploadReaction``). If that cannot
    /// be done to the end, the capture waits to be sent again.
    func attempt(_ id: LocalID) async throws {
        do {
            guard try await !isWithdrawnMeanwhile(try await store.capture(id)) else { return }
        } catch let failure as TransportFailure {
            schedule.putLast(id)
            return try await pause(for: id, CaptureFailure(failure), nil)
        }
        let now = clock.now
        let capture = try await store.database.update(id) { row in
            // One that failed meanwhile is sent again by a person alone.
            guard !row.facts.mayBeWithdrawn, row.state != .failed else { throw StoreError.notAllowed(row.state, to: .uploading) }
            row.state = .uploading
            row.facts.sentAt = row.facts.sentAt ?? now
        }
        store.failPoints.reached("queue.uploading")
        do {
            try await attempt(capture)
        } catch {
            await waitAgain(id)
            throw error
        }
    }

    /// Asks for a capture that waits to be sent once more: if it was withdrawn meanwhile, the server would make another one of its bytes.
    /// - Throws: ``TransportFailure``, if there is no answer, or none about the capture.
    func isWithdrawnMeanwhile(_ capture: StoredCapture) async throws -> Bool {
        guard let former = capture.facts.formerServerID else { return false }
        let response = try await transport.send(HTTPRequest("GET", APIPath.capture(former)))
        if response.status == 429 || response.status >= 500 { throw TransportFailure.unreachable("status \(response.status)") }
        guard response.status == 410, ServerError(response).knownCode == .gone else { return false }
        try await store.database.update(capture.id) { row in
            guard row.facts.formerServerID == former else { return }
            row.facts.withdrawnOnServer = true
        }
        return true
    }

    private func attempt(_ capture: StoredCapture) async throws {
        let id = capture.id
        var history = history(of: capture)
        while true {
            let device: DeviceID
            do {
                device = try await deviceToSign(capture)
            } catch let unavailable as DeviceUnavailable {
                return try await pause(for: id, unavailable.failure, unavailable.retryAfter)
            }
            let outcome: Result<HTTPResponse, any Error>
            do {
                outcome = .success(try await send(capture, by: device))
            } catch is CancellationError {
                throw CancellationError()
            } catch is KeysGone {
                return try await assertAnew(capture, insteadOf: device)
            } catch {
                outcome = .failure(error)
            }
            note(nil, of: id)
            store.failPoints.reached("queue.answered")
            let reaction = UploadReaction(to: outcome, after: history, at: clock.now)
            history.add(reaction)
            histories[id] = history
            switch reaction {
            case .setClock(let offset): clockOffset = offset
            case .signAgain: break
            default:
                try await apply(reaction, to: capture, by: device, counted: history.counted)
                store.failPoints.reached("queue.recorded")
                return
            }
        }
    }

    /// The device that signs the request: the one that made the assertion. A capture without is the current one's from its first attempt
    /// on: the server knows a repeated upload only from the same device. From then on the server may have it.
    func deviceToSign(_ capture: StoredCapture) async throws -> DeviceID {
        let device: DeviceID
        if let known = capture.device { device = known } else { device = try await signing.currentDevice(replacing: nil) }
        guard capture.device == nil || capture.facts.sentBy?.contains(device) != true else { return device }
        try await store.database.update(capture.id) { row in
            row.device = device
            row.facts.sentBy = (row.facts.sentBy ?? []).union([device])
        }
        return device
    }

    /// Records the answer to an upload that the system made. If that cannot be done to the end, the capture waits to be sent again. One
    /// that is being sent once more meanwhile is left to that, unless the server has it now; one that failed stays so, unless it has.
    func record(_ outcome: Result<HTTPResponse, TransportFailure>, of id: LocalID) async throws {
        // The process that sends leaves the capture alone meanwhile.
        let lock = try await FileLock.acquire(store.answerLock, .shared)
        defer { lock.unlock() }
        let before = Mutex(CaptureState.pending)
        let isThere = UploadReaction.isUploaded(outcome.mapError { $0 }, at: clock.now)
        let capture = try await store.database.update(id) { row in
            before.withLock { $0 = row.state }
            if row.state == .pending || row.state == .failed && isThere { row.state = .uploading }
        }
        // Such as one that the server has already, by the queue's own attempt or by this answer, which came twice.
        guard capture.state == .uploading else { return }
        defer { changed() }
        let isBeingSent = before.withLock { $0 == .uploading }
        do {
            try await record(outcome, of: capture, isBeingSent: isBeingSent)
        } catch  where !isBeingSent {
            await waitAgain(id)
            throw error
        }
    }

    private func record(_ outcome: Result<HTTPResponse, TransportFailure>, of capture: StoredCapture, isBeingSent: Bool) async throws {
        var history = history(of: capture)
        var reaction = UploadReaction(to: outcome.mapError { $0 }, after: history, at: clock.now)
        if isBeingSent {
            guard case .uploaded = reaction else { return }
        }
        if case .setClock = reaction {
            // The answer may have waited for hours: its time says nothing of the clock now. The next attempt's answer does.
            try await store.database.update(capture.id) { row in row.state = .pending }
            return
        }
        if let response = try? outcome.get(), response.isOfResumption, response.wantsNoMoreUploads(at: clock.now) {
            // A plain upload needs no place among the open ones. If it is the captures that are limited, that one is told so.
            plainSince = clock.now
            reaction = .tryLater(.server(ServerError(response)), retryAfter: nil, counts: false)
        }
        history.add(reaction)
        histories[capture.id] = history
        try await apply(reaction, to: capture, by: try await deviceToSign(capture), counted: history.counted)
    }

    /// After an attempt whose end is not recorded. Sent again, the bytes are the same, and the server recognises them.
    private func waitAgain(_ id: LocalID) async {
        // A remedy that was begun may not have been used.
        histories[id] = nil
        // What cannot be written now is reset by the process that sends.
        _ = try? await store.database.update(id) { row in
            if row.state == .uploading { row.state = .pending }
        }
    }

    /// What became of its earlier attempts, unless its person has tried it again since, in another process perhaps.
    private func history(of capture: StoredCapture) -> UploadHistory {
        if let known = histories[capture.id], known.counted <= capture.failures { return known }
        return UploadHistory(counted: capture.failures)
    }

    private func send(_ capture: StoredCapture, by device: DeviceID) async throws -> HTTPResponse {
        note(0, of: capture.id)
        if let response = try await sendResumably(capture, by: device) { return response }
        if capture.facts.sentAtOnce != true { try await store.database.update(capture.id) { row in row.facts.sentAtOnce = true } }
        let request = try await signedRequest(for: capture, by: device)
        store.failPoints.reached("queue.signed")
        let id = capture.id
        return try await transport.send(request) { sent in Task { await self.note(sent, of: id) } }
    }

    /// - Parameter resumable: whether the server may take it for an upload that resumes; `nil` if it is large enough for that.
    /// - Throws: ``KeysGone``.
    func signedRequest(for capture: StoredCapture, by device: DeviceID, resumable: Bool? = nil) async throws -> HTTPRequest {
        guard let signer = try await signing.signer(for: device) else { throw KeysGone() }
        let job = try store.job(of: capture)
        let body = job.body
        let digest = try await body.digest()
        let headers = try await signer.headers(
            method: "POST", target: job.path, bodyDigest: digest, at: clockOffset.serverTime(at: clock.now))
        // With it the system may go on with an upload in the background by itself. A plain upload is none the worse for it.
        let whole = resumable ?? (isLarge(body, of: capture) && !isPlainServer) ? [UploadFields.representationDigest(digest)] : []
        return HTTPRequest("POST", job.path, headers: headers + whole + [("content-type", job.contentType)], body: body)
    }

    private func apply(_ reaction: UploadReaction, to capture: StoredCapture, by device: DeviceID, counted: Int) async throws {
        let (id, now) = (capture.id, clock.now)
        switch reaction {
        case .setClock, .signAgain: try await store.database.update(id) { row in row.state = .pending }
        case .uploaded(let accepted):
            try await store.database.update(id) { row in
                row.state = .uploaded
                row.serverID = accepted.captureID
                row.facts.link = accepted.verificationURL
                row.facts.uploadedAt = now
                row.facts.failure = nil
                row.facts.failedOnServer = nil
                row.facts.unknownOnServer = nil
                row.facts.formerServerID = nil
            }
            histories[id] = nil
            schedule.release(id)
            serverAnswered()
            try await forgetDevices()
        case .registerAgain: try await assertAnew(capture, insteadOf: device)
        case .stopIdentity(let error):
            schedule.stop(device)
            try await wait(id, CaptureFailure(error))
            for other in try await store.database.captures(in: .pending) where other.device == device && other.id != id {
                try await wait(other.id, CaptureFailure(error))
            }
        case .holdQueue(let duration):
            let failure = CaptureFailure(code: ErrorCode.rateLimited.rawValue, message: "the server asks for fewer requests")
            let pause = QueueSchedule.Wait(since: now, until: now.addingTimeInterval(duration / .seconds(1)), endsEarly: false)
            switch capture.kind {
            case .photo, .hashOnly, .hashOnlyVideo: schedule.pause(pause, failure)
            // Videos that are sent have a limit of their own, for which photos need not wait.
            case .video: schedule.holdVideos(pause)
            }
            try await wait(id, failure)
        case .tryLater(let problem, let retryAfter, counts: true):
            schedule.hold(id, waiting(after: counted, retryAfter))
            serverAnswered()
            try await store.database.update(id) { row in
                row.state = .pending
                row.failures = counted
                row.facts.failure = CaptureFailure(problem)
            }
        case .tryLater(let problem, let retryAfter, counts: false):
            if problem.brokeOff {
                schedule.putLast(id)
                try await store.database.update(id) { row in row.facts.brokeOff = true }
            }
            try await pause(for: id, CaptureFailure(problem), retryAfter)
        case .fail(let problem):
            histories[id] = nil
            serverAnswered()
            try await store.database.update(id) { row in
                row.state = .failed
                row.failures = counted
                row.facts.failure = CaptureFailure(problem)
            }
        }
    }

    /// The whole queue waits: the next capture would meet the same.
    private func pause(for id: LocalID, _ failure: CaptureFailure, _ retryAfter: Duration?) async throws {
        failedAttempts += 1
        schedule.pause(waiting(after: failedAttempts, retryAfter), failure)
        try await wait(id, failure)
    }

    private func wait(_ id: LocalID, _ failure: CaptureFailure) async throws {
        try await store.database.update(id) { row in
            // Unless an answer to an upload that the system made was recorded meanwhile.
            guard [.pending, .uploading].contains(row.state) else { return }
            row.state = .pending
            row.facts.failure = failure
        }
    }

    /// The server does not know the device that signed the capture: another signs it. A capture without assertion is only sent by another.
    private func assertAnew(_ capture: StoredCapture, insteadOf device: DeviceID) async throws {
        do {
            _ = try await signing.currentDevice(replacing: device)
        } catch let unavailable as DeviceUnavailable {
            return try await pause(for: capture.id, unavailable.failure, unavailable.retryAfter)
        }
        // Unless that is done, the server's next answer is the same, and none of them counts.
        guard try await dropCheckpoints(of: capture, orBecome: .failed) else { return await waitAgain(capture.id) }
        try await store.database.update(capture.id) { row in
            row.device = nil
            row.sizes[.assertion] = nil
            row.state = row.facts.goesWithoutAssertion ? .pending : .assertionPending
        }
    }

    private func serverAnswered() {
        failedAttempts = 0
        schedule.endPause()
    }

    private func forgetDevices() async throws {
        // Who sent a capture may withdraw it, for as long as it is here.
        let needed = try await store.captures().filter { $0.state != .uploaded || !$0.isWithdrawn }.compactMap(\.device)
        // Keys that cannot be removed now are removed after another upload.
        try? await signing.forgetDevices(except: Set(needed))
    }
}

/// The keys of the device that signed a capture are not on this device any more.
struct KeysGone: Error {}
