import CaptureProtocol
import Foundation

extension CaptureQueue {
    /// The members of `GET /api/v1/captures/{id}` that a screen shows (SPEC §6).
    private struct ServerCapture: Decodable {
        let status: CaptureStatus
        let confidence: String?
        let failure: String?

        enum CodingKeys: String, CodingKey {
            case status
            case failure
            case confidence = "confidence_level"
        }
    }

    /// Failures that the bytes repair which are here: the store has lost them, or has others.
    private static let repairable: Set<FailureReason> = [.intakeMissing, .digestMismatch]

    /// Asks for the result of an uploaded capture. Any answer but a final one is asked for again, less and less often. `GONE` is final: the
    /// capture was withdrawn. A failed capture may be repaired; it is sent once more if the server lost what was sent, even long after it
    /// said what it made of it.
    func askResult(_ id: LocalID) async throws {
        let capture = try await store.capture(id)
        guard let serverID = capture.serverID else { return }
        let response: HTTPResponse
        do {
            response = try await transport.send(HTTPRequest("GET", APIPath.capture(serverID)))
        } catch is TransportFailure {
            return schedule.resultNotFinal(id, at: clock.now, isPatient: capture.facts.isFinal)
        }
        let now = clock.now
        switch (response.status, ServerError(response).knownCode) {
        case (410, .gone):
            try await store.database.update(id) { row in row.facts.withdrawnOnServer = true }
            return
        case (404, .captureNotFound):
            try await store.database.update(id) { row in
                guard row.serverID == serverID else { return }
                row.facts.unknownOnServer = true
                row.facts.confidence = nil
                row.repair(at: now)
            }
            return schedule.resultNotFinal(id, at: now, isPatient: true)
        default: break
        }
        guard response.status == 200, let found = ResponseEnvelope(response)?.data(as: ServerCapture.self), found.status != .processing
        else { return schedule.resultNotFinal(id, at: clock.now, isPatient: capture.facts.isFinal) }
        let known = try await store.database.update(id) { row in
            guard row.serverID == serverID else { return }
            row.facts.confidence = found.status == .failed ? nil : found.confidence
            if row.facts.confidence != nil { row.facts.confirmedAt = now }
            row.facts.failedOnServer = found.status == .failed
            row.facts.unknownOnServer = nil
            if found.failure.flatMap(FailureReason.init(rawValue:)).map(Self.repairable.contains) == true { row.repair(at: now) }
        }
        // Such as complete without a confidence.
        if !known.facts.isFinal { schedule.resultNotFinal(id, at: now, isPatient: known.facts.isBadOnServer) }
    }
}
