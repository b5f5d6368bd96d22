import CaptureProtocol
import Foundation

extension CaptureQueue {
    /// The members of `GET /api/v1/captures/{id}` that a screen shows (SPEC §6).
    private struct ServerCapture: Decodable {
        let status: CaptureStatus
        let confidence: String?

        enum CodingKeys: String, CodingKey {
            case status
            case confidence = "confidence_level"
        }
    }

    /// Asks for the result of an uploaded capture. Any answer but a final one is asked for again, less and less often. `GONE` is final: the
    /// capture was withdrawn.
    func askResult(_ id: LocalID) async throws {
        let capture = try await store.capture(id)
        guard let serverID = capture.serverID else { return }
        let response: HTTPResponse
        do {
            response = try await transport.send(HTTPRequest("GET", APIPath.capture(serverID)))
        } catch is TransportFailure {
            return schedule.resultNotFinal(id, at: clock.now)
        }
        guard response.status != 410 || ServerError(response).knownCode != .gone else {
            try await store.database.update(id) { row in row.facts.withdrawnOnServer = true }
            return
        }
        guard response.status == 200, let found = ResponseEnvelope(response)?.data(as: ServerCapture.self), found.status != .processing
        else { return schedule.resultNotFinal(id, at: clock.now) }
        let known = try await store.database.update(id) { row in
            row.facts.confidence = found.confidence
            row.facts.failedOnServer = found.status == .failed
        }
        // Such as complete without a confidence.
        if !known.facts.isFinal { schedule.resultNotFinal(id, at: clock.now) }
    }
}
