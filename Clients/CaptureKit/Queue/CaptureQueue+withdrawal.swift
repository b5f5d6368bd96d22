import CaptureProtocol
import Foundation

/// Why a capture was not withdrawn.
public enum WithdrawalFailure: Error, Sendable, Equatable {
    /// The server does not have it yet. Deleted here, it is never sent.
    case notUploaded
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
    /// Withdraws an uploaded capture on the server for good, as the device that sent it (SPEC §6). A person must know first that it cannot be
    /// undone, and that what others have downloaded stays with them.
    ///
    /// What this device has of the capture stays, sealed, until its person deletes it. Withdrawn again, it stays withdrawn.
    /// - Throws: ``WithdrawalFailure``; ``StoreError`` `unknownCapture`, `isBeingSent` if it is just being sent once more; errors of reading and
    ///   signing.
    public func withdraw(_ id: LocalID) async throws {
        let capture = try await store.capture(id)
        guard let serverID = capture.serverID ?? capture.facts.formerServerID, let device = capture.device else {
            throw WithdrawalFailure.notUploaded
        }
        guard capture.state != .uploading else { throw StoreError.isBeingSent }
        guard let signer = try await signing.signer(for: device) else { throw WithdrawalFailure.keysGone }
        // Before anything is sent: what is here may soon be all there is.
        try await store.database.update(id) { row in row.facts.withdrawalWanted = true }
        var response = try await withdraw(serverID, signer)
        if response.status == 401, ServerError(response).knownCode == .timestampExpired,
            let offset = response.headers["date"].flatMap({ ClockOffset(dateHeader: $0, deviceTime: clock.now) })
        {
            clockOffset = offset
            response = try await withdraw(serverID, signer)
        }
        let isWithdrawn = response.status == 204
        let error = ServerError(response)
        // The server refuses these before it withdraws anything. Any other answer may hide that it has done it, and so may an earlier attempt
        // of which nothing was heard.
        let isRefused =
            error.code != nil && [401, 403, 404, 429].contains(error.status) && capture.facts.withdrawalWanted != true
        try await store.database.update(id) { row in
            row.facts.withdrawnOnServer = isWithdrawn ? true : row.facts.withdrawnOnServer
            row.facts.withdrawalWanted = isWithdrawn || isRefused ? nil : row.facts.withdrawalWanted
        }
        guard isWithdrawn else { throw isRefused ? WithdrawalFailure.refused(error) : .unclear(error) }
        changed()
    }

    private func withdraw(_ id: CaptureID, _ signer: any RequestSigner) async throws -> HTTPResponse {
        let target = APIPath.capture(id)
        let headers = try await signer.headers(
            method: "DELETE", target: target, bodyDigest: ContentDigest(of: [UInt8]()), at: clockOffset.serverTime(at: clock.now))
        do {
            return try await transport.send(HTTPRequest("DELETE", target, headers: headers))
        } catch let failure as TransportFailure {
            throw WithdrawalFailure.transport(failure)
        }
    }
}
