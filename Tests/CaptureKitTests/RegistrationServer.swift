import CaptureKit
import CaptureProtocol
import Foundation
import Synchronization

/// The server's side of a registration, as SPEC §2 has it: challenges of one use and five minutes, the first answer for a repeated body, a
/// key once. It takes every attestation for what it claims.
final class RegistrationServer: Sendable {
    static let challengeTarget = "/api/v1/devices/challenge"
    static let registerTarget = "/api/v1/devices/register"

    private struct State {
        var challenges: [String: (expires: Date, body: [UInt8]?)] = [:]
        var answers: [[UInt8]: HTTPResponse] = [:]
        var devices: [DeviceID: DeviceRegistration] = [:]
    }
    private let state = Mutex(State())
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    var devices: [DeviceID: DeviceRegistration] { state.withLock { $0.devices } }

    func answer(_ request: ScriptedServer.Request) -> HTTPResponse {
        switch (request.method, request.target) {
        case ("GET", Self.challengeTarget): challenge()
        case ("POST", Self.registerTarget) where request.headers["content-type"] == "application/json": register(request.body)
        default: Self.refusal(404, "NOT_FOUND")
        }
    }

    static func refusal(_ status: Int, _ code: String, retryAfter: String? = nil) -> HTTPResponse {
        let body = #"{"error":{"code":"\#(code)","message":"Refused."},"meta":{"request_id":"r","timestamp":"2026-01-01T00:00:00.000Z"}}"#
        return HTTPResponse(status: status, headers: retryAfter.map { ["retry-after": $0] } ?? [:], body: Array(body.utf8))
    }

    private func challenge() -> HTTPResponse {
        let challenge = Base64.encode([UInt8].random(32))
        let expires = now().addingTimeInterval(300)
        state.withLock { $0.challenges[challenge] = (expires, nil) }
        return success(200, #"{"challenge":"\#(challenge)","expires_at":"\#(Timestamp.format(expires))"}"#)
    }

    private func register(_ body: [UInt8]) -> HTTPResponse {
        guard let sent = try? JSONDecoder().decode(DeviceRegistration.self, from: Data(body)) else {
            return Self.refusal(400, "VALIDATION_ERROR")
        }
        return state.withLock { state in
            if let answer = state.answers[body] { return answer }
            guard let challenge = state.challenges[sent.attestation.challenge], challenge.body == nil, challenge.expires > now() else {
                return Self.refusal(400, "CHALLENGE_INVALID")
            }
            state.challenges[sent.attestation.challenge]?.body = body
            guard !state.devices.values.contains(where: { $0.attestation.keyID == sent.attestation.keyID }) else {
                return Self.refusal(409, "DEVICE_ALREADY_REGISTERED")
            }
            let device = DeviceID()
            state.devices[device] = sent
            // CBOR: a map of three, the text "fmt" with the text "none".
            let isNone = Base64.decode(sent.attestation.attestationObject)?.starts(with: [0xa3, 0x63] + Array("fmtdnone".utf8)) ?? true
            let level = isNone ? #""unverified","attestation_failure":"bad_format""# : #""secure_enclave""#
            let answer = success(201, #"{"device_id":"\#(device)","has_lidar":\#(sent.hasLiDAR),"attestation_level":\#(level)}"#)
            state.answers[body] = answer
            return answer
        }
    }

    private func success(_ status: Int, _ data: String) -> HTTPResponse {
        let meta = #"{"request_id":"r","timestamp":"\#(Timestamp.format(now()))"}"#
        return HTTPResponse(status: status, headers: [:], body: Array(#"{"data":\#(data),"meta":\#(meta)}"#.utf8))
    }
}
