import CaptureKit
import CaptureProtocol
import Crypto
import Foundation
import Testing

@Suite("Signing of requests")
struct RequestSignerTests {
    private static let time = Date(timeIntervalSince1970: 1_795_000_000.1234)
    private static let device = DeviceID()
    private let digest = ContentDigest(of: [1, 2, 3])

    @Test("signs method, target, time, device and body with the request key", arguments: [RequestKey.Algorithm.ed25519, .p256])
    func signature(algorithm: RequestKey.Algorithm) throws {
        let keys = SoftwareRequestKeyService(algorithm)
        let pair = keys.generate()
        let signer = try #require(DeviceSigner(Self.identity(pair), keys: keys))
        let headers = try signer.headers(method: "POST", target: "/api/v1/captures?a=b", bodyDigest: digest, at: Self.time)

        #expect(headers.map(\.name) == ["X-Device-Id", "X-Device-Timestamp", "X-Device-Signature", "X-Device-Signature-Version"])
        #expect(headers.map(\.value)[0] == Self.device.description)
        #expect(headers.map(\.value)[1] == "1795000000123")
        #expect(headers.map(\.value)[3] == "2")
        let signature = try #require(Base64.decode(headers[2].value))
        let message = "rial-request-v2\nPOST\n/api/v1/captures?a=b\n1795000000123\n\(Self.device)\n\(digest.hex)"
        #expect(try isValid(signature, message, pair.publicKey))
        #expect(try !isValid(signature, message + " ", pair.publicKey))
    }

    @Test("writes a time that a clock cannot have as digits", arguments: [-1e300, -1, .nan, 1e300, .infinity])
    func absurdTime(seconds: Double) throws {
        let keys = SoftwareRequestKeyService()
        let signer = try #require(DeviceSigner(Self.identity(keys.generate()), keys: keys))
        let headers = try signer.headers(
            method: "GET", target: "/", bodyDigest: digest, at: Date(timeIntervalSince1970: seconds))
        #expect(headers[1].value == (seconds > 0 ? "999999999999999" : "0"))
    }

    @Test("needs a registered identity")
    func unregistered() {
        let keys = SoftwareRequestKeyService()
        #expect(DeviceSigner(DeviceIdentity(attestationKeyID: nil, requestKey: keys.generate()), keys: keys) == nil)
    }

    @Test("with keys of either algorithm does not depend on which the service makes")
    func algorithms() throws {
        let pair = SoftwareRequestKeyService(.ed25519).generate()
        let signature = try SoftwareRequestKeyService(.p256).signature(of: Array("text".utf8), with: pair.reference)
        #expect(try isValid(signature, "text", pair.publicKey))
    }

    @Test("refuses a reference that is not a key", arguments: [[], [1], [2, 0], [3] + [UInt8](repeating: 1, count: 32)])
    func unknownKey(reference: [UInt8]) {
        #expect(throws: SoftwareRequestKeyService.UnknownKey.self) {
            try SoftwareRequestKeyService().signature(of: [], with: reference)
        }
    }

    private static func identity(_ pair: RequestKeyPair) -> DeviceIdentity {
        let result = RegistrationResult(deviceID: device, attestationLevel: .unverified, hasLiDAR: true, attestationFailure: "bad_format")
        return DeviceIdentity(attestationKeyID: nil, requestKey: pair, state: .registered(result))
    }

    private func isValid(_ signature: [UInt8], _ message: String, _ key: RequestKey) throws -> Bool {
        switch key.algorithm {
        case .ed25519:
            try Curve25519.Signing.PublicKey(rawRepresentation: key.publicKey.bytes)
                .isValidSignature(signature, for: Array(message.utf8))
        case .p256:
            try P256.Signing.PublicKey(x963Representation: key.publicKey.bytes)
                .isValidSignature(P256.Signing.ECDSASignature(derRepresentation: signature), for: Array(message.utf8))
        }
    }
}
