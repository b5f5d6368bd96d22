import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import Testing

@testable import Gateway

@Suite("Registration bodies")
struct RegistrationBodyTests {
    private static let challenge = [UInt8](repeating: 3, count: 32)

    @Test("a sound body is read, in any base64", arguments: RequestKeyKind.allCases, [false, true])
    func sound(kind: RequestKeyKind, isURLSafe: Bool) throws {
        let device = SimulatedDevice(requestKey: kind)
        var fields = try Self.fields(device)
        if isURLSafe { fields["attestation"] = (fields["attestation"] as? [String: String])?.mapValues(Self.urlSafe) }
        let body = try RegistrationBody(Self.json(fields))
        #expect(body.model == "iPhone 15 Pro" && body.hasLiDAR && body.osVersion == "26.1")
        #expect(body.keyID == [UInt8](repeating: 0xfb, count: 32))
        #expect(body.attestationObject == [0xff, 0xfe, 0xfd])
        #expect(body.challenge == Self.challenge)
        #expect(body.requestKey?.publicKey.bytes == (try device.requestPublicKey))
    }

    @Test("the attestation is made over the challenge, and the request key where there is one", arguments: RequestKeyKind.allCases)
    func clientDataHash(kind: RequestKeyKind) throws {
        let device = SimulatedDevice(requestKey: kind)
        let body = try RegistrationBody(Self.json(try Self.fields(device)))
        let expected = SHA256.hash(data: Self.challenge + (try device.requestPublicKey ?? []))
        #expect(body.clientDataHash.bytes == Array(expected))
    }

    @Test("another platform has a code of its own", arguments: ["android", "iOS", "", "ios "])
    func platform(name: String) throws {
        let refused = try refused { $0["platform"] = name }
        #expect(refused?.code == .unsupportedPlatform)
    }

    @Test("each field that is missing is named", arguments: ["platform", "model", "has_lidar", "attestation"])
    func missing(field: String) throws {
        try expectRefused(field) { $0[field] = nil }
    }

    @Test("each field of the attestation that is missing is named", arguments: ["key_id", "attestation_object", "challenge"])
    func missingOfAttestation(field: String) throws {
        try expectRefused("attestation.\(field)") { fields in Self.change(&fields, "attestation", field, to: nil) }
    }

    @Test(
        "text that is no base64 is refused", arguments: ["key_id", "attestation_object", "challenge"], ["***", "A", "AA AA", "AAAA\n", "é"])
    func base64(field: String, text: String) throws {
        try expectRefused("attestation.\(field)") { fields in Self.change(&fields, "attestation", field, to: text) }
    }

    @Test("key id and challenge have 32 bytes", arguments: ["key_id", "challenge"], [0, 31, 33, 64])
    func sizes(field: String, count: Int) throws {
        try expectRefused("attestation.\(field)") { fields in
            Self.change(&fields, "attestation", field, to: Base64.encode([UInt8](repeating: 1, count: count)))
        }
    }

    @Test("the attestation object has 1 to 16,384 bytes", arguments: [(0, false), (1, true), (16_384, true), (16_385, false)])
    func attestationObject(count: Int, isAccepted: Bool) throws {
        let refused = try refused { fields in
            Self.change(&fields, "attestation", "attestation_object", to: Base64.encode([UInt8](repeating: 1, count: count)))
        }
        #expect((refused == nil) == isAccepted)
    }

    @Test(
        "names have 1 to 100 characters and no control characters", arguments: ["model", "os_version"],
        [
            "", String(repeating: "x", count: 101), "a\u{0}b", "a\nb", "a\u{7f}", String(repeating: "e\u{301}\u{323}", count: 100),
        ])
    func names(field: String, text: String) throws {
        try expectRefused(field) { $0[field] = text }
    }

    @Test("a hundred characters of any script are a name")
    func longName() throws {
        #expect(try refused { $0["model"] = String(repeating: "é", count: 100) } == nil)
        #expect(try refused { $0["os_version"] = nil } == nil)
    }

    @Test("wrong types are refused", arguments: ["model", "has_lidar", "attestation", "os_version", "request_key"])
    func types(field: String) throws {
        try expectRefused(field) { $0[field] = 7 }
    }

    @Test("a request key is of a known algorithm, the right size and on its curve")
    func requestKey() throws {
        let point = try #require(try SimulatedDevice(requestKey: .p256).requestPublicKey)
        var offCurve = point
        offCurve[64] ^= 1
        let wrong: [(String, [UInt8], String)] = [
            ("rsa", point, "algorithm"), ("P256", point, "algorithm"), ("p256", Array(point.dropLast()), "public_key"),
            ("p256", offCurve, "public_key"), ("p256", [4] + [UInt8](repeating: 0, count: 64), "public_key"),
            ("p256", [2] + point.dropFirst(), "public_key"), ("ed25519", [UInt8](repeating: 1, count: 31), "public_key"),
            ("ed25519", point, "public_key"), ("ed25519", [], "public_key"),
        ]
        for (algorithm, key, field) in wrong {
            try expectRefused("request_key.\(field)") {
                $0["request_key"] = ["algorithm": algorithm, "public_key": Base64.encode(key)]
            }
        }
    }

    @Test(
        "what is no JSON object of ours is refused without harm",
        arguments: [
            "", "{", "[]", "null", "7", "\"text\"", "{\"platform\":\"ios\"", "\u{feff}{}x", String(repeating: "[", count: 100_000),
            String(repeating: "{\"a\":", count: 50_000),
        ])
    func noJSON(text: String) {
        let refused = refusal { _ = try RegistrationBody(Array(text.utf8)) }
        #expect(refused?.code == .validationError)
        #expect(refused?.details.isEmpty == false)
    }

    @Test("text of nothing but combining marks is refused before it is compared", .timeLimit(.minutes(1)))
    func marks() throws {
        let marks = "a" + String(repeating: "\u{300}\u{323}", count: 30_000)
        try expectRefused("body") { $0["platform"] = marks }
        try expectRefused("body") { $0["request_key"] = ["algorithm": marks, "public_key": ""] }
        let sound = String(decoding: try Self.json(try Self.fields(SimulatedDevice(requestKey: .none))), as: UTF8.self)
        for name in [marks, "platform"] {
            let text = "{\"\(name)\":\"ios\"," + String(sound.dropFirst())
            let refused = refusal { _ = try RegistrationBody(Array(text.utf8)) }
            #expect(refused?.code == .validationError && refused?.details.map(\.field) == ["body"])
        }
    }

    private static func fields(_ device: SimulatedDevice) throws -> [String: Any] {
        var fields: [String: Any] = [
            "platform": "ios", "model": "iPhone 15 Pro", "has_lidar": true, "os_version": "26.1",
            "attestation": [
                "key_id": Base64.encode([UInt8](repeating: 0xfb, count: 32)), "attestation_object": Base64.encode([0xff, 0xfe, 0xfd]),
                "challenge": Base64.encode(challenge),
            ],
        ]
        if let key = try device.requestPublicKey {
            fields["request_key"] = ["algorithm": device.requestKeyKind.rawValue, "public_key": Base64.encode(key)]
        }
        return fields
    }

    private func refused(_ change: (inout [String: Any]) -> Void) throws -> APIError? {
        var fields = try Self.fields(SimulatedDevice(requestKey: .ed25519))
        change(&fields)
        let bytes = try Self.json(fields)
        return refusal { _ = try RegistrationBody(bytes) }
    }

    private func expectRefused(
        _ field: String, _ change: (inout [String: Any]) -> Void, at location: SourceLocation = #_sourceLocation
    ) throws {
        let refused = try refused(change)
        #expect(refused?.code == .validationError, sourceLocation: location)
        #expect(refused?.details.map(\.field) == [field], sourceLocation: location)
    }

    private static func change(_ fields: inout [String: Any], _ object: String, _ field: String, to value: String?) {
        var inner = fields[object] as? [String: String]
        inner?[field] = value
        fields[object] = inner
    }

    private static func json(_ fields: [String: Any]) throws -> [UInt8] { Array(try JSONSerialization.data(withJSONObject: fields)) }

    private static func urlSafe(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
