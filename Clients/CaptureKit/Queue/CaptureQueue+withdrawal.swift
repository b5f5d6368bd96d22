import CaptureProtocol
import Foundation
import Synchronization

/// Why a capture was not withdrawn.
public enum WithdrawalFailure: Error, Sendable, Equatable {
    /// It was never sent. Deleted here, it never is.
    case notUploaded
    /// It was sent, but the server did not have it when it was asked just now. If the server never said that it had it, it is sent again
    /// unless it is deleted here; otherwise only if its person tries it again.
    case notThere
    /// The keys of the device that sent it are not on this device any more: only the server's operator can withdraw it.
    case keysGone
    /// The server did not answer; the capture may be withdrawn all the same.
    case transport(TransportFailure)
    /// The server's refusal, such as `DEVICE_REVOKED`: the capture is not withdrawn.
    case refused(ServerError)
    /// An answer that does not say whether the capture is withdrawn, or a refusal after an attempt whose end is not known.
    case unclear(ServerError)
}

extension CaptureQueue {
    /// Withdraws a capture on the server for good, as the device that sent it (SPEC §6). A person must know first that it cannot be
    /// undone, and that what others have downloaded stays with them.
    ///
    /// Of a capture that was sent without an answer the server is asked first whether it has it. A server that can only be asked by sending
    /// the capture once more is asked so, and then withdraws it.
    ///
    /// What this device has of the capture stays, sealed, until its person deletes it. Withdrawn again, it stays withdrawn.
    /// - Throws: ``WithdrawalFailure``; ``StoreError`` `unknownCapture`, `isBeingSent`, also while its body is lent to the system or
    ///   another call withdraws it; errors of reading and signing.
    public func withdraw(_ id: LocalID) async throws {
        // Each call may take back what it noted itself, but not what another has noted meanwhile.
        guard withdrawals.insert(id).inserted else { throw StoreError.isBeingSent }
        defer { withdrawals.remove(id) }
        // Before anything is asked or sent: from then on nobody begins to send it, and what is here may soon be all there is.
        let (reserved, wasWanted) = try await reserved(id)
        let serverID: CaptureID
        let signer: any RequestSigner
        do {
            (serverID, signer) = try await prepared(reserved)
        } catch {
            // One that the server once had is sent again only by its person.
            let isLost = (error as? WithdrawalFailure) == .notThere && reserved.facts.formerServerID != nil
            if !isLost { try await store.database.update(id) { row in row.facts.withdrawalWanted = wasWanted } }
            throw error
        }
        let target = APIPath.capture(serverID)
        let response = try await answer {
            HTTPRequest(
                "DELETE", target,
                headers: try await signer.headers(
                    method: "DELETE", target: target, bodyDigest: ContentDigest(of: [UInt8]()), at: clockOffset.serverTime(at: clock.now)))
        }
        let isWithdrawn = response.status == 204
        let error = ServerError(response)
        // The server refuses these before it withdraws anything. Any other answer may hide that it has done it, and so may an earlier
        // attempt of which nothing was heard.
        let isUnknown = error.status == 404 && error.knownCode == .captureNotFound
        let isRefused = error.code != nil && [401, 403, 404, 429].contains(error.status) && !isUnknown && wasWanted != true
        try await store.database.update(id) { row in
            row.facts.withdrawnOnServer = isWithdrawn ? true : row.facts.withdrawnOnServer
            // A capture that the server has lost stays wanted: it must not be sent once more because of that.
            if isUnknown { row.facts.unknownOnServer = true }
            row.facts.withdrawalWanted = isWithdrawn || isRefused ? nil : row.facts.withdrawalWanted
        }
        guard isWithdrawn else { throw isUnknown ? WithdrawalFailure.notThere : isRefused ? .refused(error) : .unclear(error) }
        changed()
    }

    /// Notes that a capture is to be withdrawn.
    /// - Returns: the capture, and whether that was noted before.
    /// - Throws: ``StoreError`` `isBeingSent`, `unknownCapture`.
    private func reserved(_ id: LocalID) async throws -> (capture: StoredCapture, wasWanted: Bool?) {
        let wasWanted = Mutex<Bool?>(nil)
        let capture = try await store.database.update(id) { row in
            guard row.state != .uploading else { throw StoreError.isBeingSent }
            wasWanted.withLock { $0 = row.facts.withdrawalWanted }
            row.facts.withdrawalWanted = true
        }
        return (capture, wasWanted.withLock { $0 })
    }

    /// - Parameter reserved: is not begun to be sent any more, but its body may be lent already.
    /// - Returns: the server's id of a capture, and who signs that it is withdrawn.
    private func prepared(_ reserved: StoredCapture) async throws -> (CaptureID, any RequestSigner) {
        if try await store.database.isLent(reserved.id) { throw StoreError.isBeingSent }
        let capture = reserved.state == .uploaded || reserved.facts.knownID != nil ? reserved : try await found(reserved)
        guard let serverID = capture.serverID ?? capture.facts.knownID, let device = capture.device else { throw StoreError.isBeingSent }
        guard let signer = try await signing.signer(for: device) else { throw WithdrawalFailure.keysGone }
        return (serverID, signer)
    }

    /// A capture that was sent without an answer, uploaded, if the server has it.
    /// - Throws: ``WithdrawalFailure`` if not.
    private func found(_ capture: StoredCapture) async throws -> StoredCapture {
        guard let senders = capture.facts.sentBy, !senders.isEmpty else { throw WithdrawalFailure.notUploaded }
        // The server knows a repeated upload only from the same device.
        guard let device = capture.device, senders.contains(device) else { throw WithdrawalFailure.keysGone }
        let response: HTTPResponse?
        do { response = try await repeatUpload(of: capture, by: device) } catch is KeysGone { throw WithdrawalFailure.keysGone }
        guard let response else { throw senders == [device] ? WithdrawalFailure.notThere : .keysGone }
        guard UploadReaction.isUploaded(.success(response), at: clock.now) else { throw WithdrawalFailure.unclear(ServerError(response)) }
        if capture.state == .failed { try await store.database.update(capture.id) { row in row.state = .pending } }
        try await record(.success(response), of: capture.id)
        return try await store.capture(capture.id)
    }

    /// - Returns: the answer to the same upload once more; `nil` if the server has nothing of it.
    private func repeatUpload(of capture: StoredCapture, by device: DeviceID) async throws -> HTTPResponse? {
        let job = try store.job(of: capture)
        if job.mayResume, !isPlainServer, !mayBeKnownByBytesAlone(capture) {
            // The server says at once which capture it has made of such an upload, and gets none of its bytes if it has made none.
            let response = try await answer { try await signedRequest(for: capture, by: device, resumable: true).creatingUpload }
            var upload = ResumableUpload(lengthBytes: job.body.contentLength, at: transport.origin)
            upload.received(response, at: clock.now)
            switch upload.step {
            case .end: return response
            case .sendPlain(let lasts): if lasts { plainSince = clock.now }
            case .create, .askOffset, .append, .fetchAnswer:
                try await end(upload, of: capture.id)
                // By its answer the device's clock may be days behind.
                if !mayBeKnownByBytesAlone(capture) { return nil }
            }
        }
        return try await answer { try await signedRequest(for: capture, by: device, resumable: false) }
    }

    /// By the device's clock, which may have been set since, or by the server's, as far as that is known.
    private func mayBeKnownByBytesAlone(_ capture: StoredCapture) -> Bool {
        let now = clock.now
        return [now, clockOffset.serverTime(at: now)].contains { capture.facts.mayBeKnownByBytesAlone(at: $0) }
    }

    /// Ends an upload that was made only to ask, or that had begun before.
    private func end(_ upload: ResumableUpload, of id: LocalID) async throws {
        guard let address = upload.kept?.address else { return }
        let response = try await answer { HTTPRequest("DELETE", address.target, headers: [UploadFields.version]) }
        guard [204, 404, 410].contains(response.status) else { throw WithdrawalFailure.unclear(ServerError(response)) }
        try await store.database.update(id) { row in row.facts.upload = nil }
    }

    /// - Parameter request: is made, and signed, a second time by the server's time if the device's is wrong.
    private func answer(to request: () async throws -> HTTPRequest) async throws -> HTTPResponse {
        do {
            let response = try await transport.send(try await request())
            guard response.status == 401, ServerError(response).knownCode == .timestampExpired,
                let offset = response.headers["date"].flatMap({ ClockOffset(dateHeader: $0, deviceTime: clock.now) })
            else { return response }
            clockOffset = offset
            return try await transport.send(try await request())
        } catch let failure as TransportFailure {
            throw WithdrawalFailure.transport(failure)
        }
    }
}

extension CaptureFacts {
    /// The former id of a capture, unless the server may have made another one of it since it did not know that.
    fileprivate var knownID: CaptureID? { unknownOnServer == true && sentAt != nil ? nil : formerServerID }
}
