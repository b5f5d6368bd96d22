import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@Suite("Reactions to the answers to a registration")
struct ReactionRegistrationTests {
    private typealias Answer = DocumentedErrors.Answer

    private static func reaction(_ response: HTTPResponse) -> RegistrationReaction {
        RegistrationReaction(to: .success(response), at: Date(timeIntervalSince1970: 0))
    }

    private static func word(_ reaction: RegistrationReaction) -> String {
        switch reaction {
        case .registered: "registered"
        case .newKey: "new key"
        case .tryLater: "try later"
        case .refused: "refused"
        }
    }

    private static let table: [Answer: String] = [
        Answer(status: 400, code: "VALIDATION_ERROR"): "refused",
        Answer(status: 400, code: "INVALID_ATTESTATION"): "refused",
        Answer(status: 400, code: "CHALLENGE_INVALID"): "new key",
        Answer(status: 409, code: "DEVICE_ALREADY_REGISTERED"): "new key",
        Answer(status: 413, code: "PAYLOAD_TOO_LARGE"): "refused",
        Answer(status: 415, code: "UNSUPPORTED_MEDIA_TYPE"): "refused",
        Answer(status: 422, code: "UNSUPPORTED_PLATFORM"): "refused",
        Answer(status: 429, code: "RATE_LIMITED"): "try later",
        Answer(status: 500, code: "INTERNAL_ERROR"): "try later",
        Answer(status: 503, code: "SERVICE_UNAVAILABLE"): "try later",
    ]

    @Test("exist for every documented error")
    func documentedErrors() throws {
        #expect(try DocumentedErrors.of(post: "/api/v1/devices/register") == Set(Self.table.keys))
        for (answer, word) in Self.table {
            #expect(Self.word(Self.reaction(.error(answer.status, answer.code))) == word, "\(answer)")
        }
    }

    @Test("take a code that this version does not know for a refusal, where the status is one", arguments: [400, 413, 415, 422])
    func newerCode(status: Int) {
        #expect(Self.word(Self.reaction(.error(status, "A_NEWER_CODE"))) == "refused")
        #expect(Self.word(Self.reaction(HTTPResponse(status: status, headers: [:], body: []))) == "try later")
    }

    @Test("know a registered device, verified or not")
    func registered() {
        let id = DeviceID()
        let data =
            "{\"device_id\": \"\(id)\", \"attestation_level\": \"unverified\", \"has_lidar\": true, \"attestation_failure\": \"format\"}"
        let result = RegistrationResult(deviceID: id, attestationLevel: .unverified, hasLiDAR: true, attestationFailure: "format")
        #expect(Self.reaction(.data(201, data)) == .registered(result))
    }

    @Test("send the same body again after anything unexpected", arguments: [200, 201, 204, 302, 401, 404, 502, 504])
    func unexpected(status: Int) {
        #expect(Self.word(Self.reaction(HTTPResponse(status: status, headers: [:], body: []))) == "try later")
    }

    @Test("wait as long as the server asks")
    func retryAfter() {
        let limited = HTTPResponse.error(429, "RATE_LIMITED", headers: ["retry-after": "30"])
        #expect(Self.reaction(limited) == .tryLater(.server(ServerError(limited)), retryAfter: .seconds(30)))
    }

    @Test("send the same body again where there was no answer")
    func noAnswer() {
        let failure = TransportFailure.unreachable("cut")
        #expect(RegistrationReaction(to: .failure(failure), at: Date()) == .tryLater(.transport(failure), retryAfter: nil))
    }
}
