import CaptureProtocol
import Crypto
import Foundation
import Testing

@testable import Gateway
@testable import SimulatedDevice

@Suite("Request signatures")
struct RequestSignatureTests {
    @Test("a signature by the device's own key holds", arguments: RequestKeyKind.allCases, [false, true])
    func holds(kind: RequestKeyKind, isRaw: Bool) throws {
        var device = SimulatedDevice(requestKey: kind)
        let signature = try device.signature(of: "message", rawP256: isRaw)
        #expect(RequestSignature.isValid(signature, of: "message", by: try known(device)))
    }

    @Test("a signature of another message does not hold", arguments: RequestKeyKind.allCases)
    func otherMessage(kind: RequestKeyKind) throws {
        var device = SimulatedDevice(requestKey: kind)
        let signature = try device.signature(of: "message")
        #expect(!RequestSignature.isValid(signature, of: "message ", by: try known(device)))
    }

    @Test("a signature by another device does not hold", arguments: RequestKeyKind.allCases)
    func otherDevice(kind: RequestKeyKind) throws {
        var other = SimulatedDevice(requestKey: kind)
        let signature = try other.signature(of: "message")
        #expect(!RequestSignature.isValid(signature, of: "message", by: try known(SimulatedDevice(requestKey: kind))))
    }

    @Test("any changed byte of a signature is noticed", arguments: RequestKeyKind.allCases)
    func changed(kind: RequestKeyKind) throws {
        var device = SimulatedDevice(requestKey: kind)
        let signature = try device.signature(of: "message")
        let known = try known(device)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!RequestSignature.isValid(changed, of: "message", by: known), "byte \(index)")
        }
    }

    @Test("nothing, noise and half a signature are refused without harm", arguments: RequestKeyKind.allCases, [0, 1, 32, 63, 64, 65, 8192])
    func noise(kind: RequestKeyKind, count: Int) throws {
        let known = try known(SimulatedDevice(requestKey: kind))
        #expect(!RequestSignature.isValid([UInt8](repeating: 0x30, count: count), of: "message", by: known))
    }

    @Test("a device with a request key cannot sign by assertion")
    func assertionInsteadOfKey() throws {
        var device = SimulatedDevice(requestKey: .ed25519)
        let assertion = try device.assertion(clientDataHash: Array(SHA256.hash(data: Array("message".utf8))))
        #expect(!RequestSignature.isValid(assertion, of: "message", by: try known(device)))
    }

    @Test("the same request assertion holds twice: its counter is not consumed")
    func counter() throws {
        var device = SimulatedDevice(requestKey: .none)
        let assertion = try device.signature(of: "message")
        let known = try known(device)
        #expect(RequestSignature.isValid(assertion, of: "message", by: known))
        #expect(RequestSignature.isValid(assertion, of: "message", by: known))
    }

    @Test("an assertion for another app does not hold")
    func otherApp() throws {
        var device = SimulatedDevice(requestKey: .none)
        let assertion = try device.assertion(
            clientDataHash: Array(SHA256.hash(data: Array("message".utf8))), defect: .assertionOfOtherApp)
        #expect(!RequestSignature.isValid(assertion, of: "message", by: try known(device)))
    }

    @Test("a device with neither key is refused")
    func noKey() {
        let device = KnownDevice(id: DeviceID(), requestKey: nil, attestedKey: nil, appID: nil, isRevoked: false)
        #expect(!RequestSignature.isValid([1, 2, 3], of: "message", by: device))
    }

    private func known(_ device: SimulatedDevice) throws -> KnownDevice { try KnownDevice(device) }
}
