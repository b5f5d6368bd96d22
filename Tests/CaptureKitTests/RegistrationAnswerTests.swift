import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@Suite("Answers to a registration")
struct RegistrationAnswerTests {
    private let register = RegistrationServer.registerTarget

    @Test(
        "that say nothing of the device are thrown, and the same bytes are sent later",
        arguments: [
            (.answer(RegistrationServer.refusal(429, "RATE_LIMITED", retryAfter: "30")), .busy(status: 429, retryAfter: .seconds(30))),
            (.answer(RegistrationServer.refusal(503, "SERVICE_UNAVAILABLE", retryAfter: "5")), .busy(status: 503, retryAfter: .seconds(5))),
            (
                .answer(RegistrationServer.refusal(503, "STORAGE_ERROR", retryAfter: "999999")),
                .busy(status: 503, retryAfter: .seconds(86_400))
            ),
            (.answer(RegistrationServer.refusal(500, "INTERNAL_ERROR")), .busy(status: 500, retryAfter: nil)),
            (.answer(HTTPResponse(status: 502, headers: ["retry-after": "soon"], body: [])), .busy(status: 502, retryAfter: nil)),
            (.answer(HTTPResponse(status: 200, headers: [:], body: Array("<html>".utf8))), .unexpectedResponse(status: 200)),
            (.answer(HTTPResponse(status: 201, headers: [:], body: Array("{}".utf8))), .unexpectedResponse(status: 201)),
            (.answer(HTTPResponse(status: 302, headers: ["location": "/"], body: [])), .unexpectedResponse(status: 302)),
            (.answer(HTTPResponse(status: 403, headers: [:], body: Array("no".utf8))), .unexpectedResponse(status: 403)),
            (.fail(.unreachable("cut")), .transport(.unreachable("cut"))),
            (.fail(.untrusted("pin")), .transport(.untrusted("pin"))),
            (.loseAnswer, .transport(.unreachable("the answer was lost"))),
        ] as [(ScriptedServer.Step, RegistrationFailure)])
    func transient(step: ScriptedServer.Step, failure: RegistrationFailure) async throws {
        let rig = try RegistrationRig()
        await rig.server.script(register, step)
        #expect(try await rig.failure() == failure)
        if case .busy(_, let wait) = failure { #expect(failure.retryAfter == wait) }
        let identity = try await rig.registration().register()
        let bodies = await rig.sentBodies
        #expect(bodies.count == 2 && bodies[0] == bodies[1])
        #expect(rig.gateway.devices.keys.map { $0 } == [identity.deviceID])
        #expect(try Array(rig.attestations.values) == [1])
    }

    @Test(
        "that refuse the body are thrown with their code, and cost no key",
        arguments: [
            (400, "VALIDATION_ERROR"), (400, "INVALID_ATTESTATION"), (413, "PAYLOAD_TOO_LARGE"), (415, "UNSUPPORTED_MEDIA_TYPE"),
            (422, "UNSUPPORTED_PLATFORM"),
        ])
    func refused(status: Int, code: String) async throws {
        let rig = try RegistrationRig()
        let refusal = ScriptedServer.Step.answer(RegistrationServer.refusal(status, code))
        await rig.server.script(register, refusal, refusal)
        for _ in 1...2 {
            #expect(try await rig.failure() == .refused(status: status, code: code, message: "Refused."))
        }
        #expect(await Set(rig.sentBodies).count == 1)
        #expect(try rig.attestations.count == 1)
        // After a day it starts over.
        rig.clock.advance(by: 24 * 3600)
        #expect(try await rig.failure() == nil)
        #expect(try rig.attestations.count == 2)
    }

    @Test("that spent the key make a new one", arguments: [(400, "CHALLENGE_INVALID"), (409, "DEVICE_ALREADY_REGISTERED")])
    func newKey(status: Int, code: String) async throws {
        let rig = try RegistrationRig()
        await rig.server.script(register, .answer(RegistrationServer.refusal(status, code)))
        let identity = try await rig.registration().register()
        #expect(rig.gateway.devices.keys.map { $0 } == [identity.deviceID])
        #expect(try Array(rig.attestations.values) == [1, 1])
        #expect(await Set(rig.sentBodies).count == 2)
        #expect(try await rig.identities.all == [identity])
    }

    @Test("that spend every key end after three new ones in a call")
    func bounded() async throws {
        let rig = try RegistrationRig()
        let refusal = ScriptedServer.Step.answer(RegistrationServer.refusal(409, "DEVICE_ALREADY_REGISTERED"))
        await rig.server.script(register, refusal, refusal, refusal)
        #expect(try await rig.failure() == .tooManyKeys)
        #expect(try Array(rig.attestations.values) == [1, 1, 1])
        #expect(try await rig.failure() == nil)
        #expect(rig.gateway.devices.count == 1)
    }

    @Test("to the request of a challenge are thrown too, and the key is kept")
    func challenge() async throws {
        let rig = try RegistrationRig()
        await rig.server.script(
            RegistrationServer.challengeTarget, .answer(RegistrationServer.refusal(429, "RATE_LIMITED", retryAfter: "9")),
            .fail(.unreachable("")), .answer(HTTPResponse(status: 200, headers: [:], body: Array("{}".utf8))))
        #expect(try await rig.failure() == .busy(status: 429, retryAfter: .seconds(9)))
        #expect(try await rig.failure() == .transport(.unreachable("")))
        #expect(try await rig.failure() == .unexpectedResponse(status: 200))
        #expect(try await rig.failure() == nil)
        #expect(try rig.attestations.count == 1)
    }

    @Test("are not needed while the device's clock is hours off", arguments: [-7200, 7200])
    func wrongClock(ahead: Double) async throws {
        let rig = try RegistrationRig(serverAhead: ahead)
        #expect(try await rig.failure() == nil)
        #expect(await rig.challengeRequests == 1)
    }
}
