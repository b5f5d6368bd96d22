import CaptureKit
import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import Testing

@Suite("Assertions of captures")
struct AssertionTests {
    private let photo = ContentDigest(of: [1])
    private let depth = ContentDigest(of: [2])
    private let metadata = ContentDigest(of: [3])

    @Test("are signatures of the registered key over photo, depth and metadata, with counters that rise")
    func made() async throws {
        let rig = try RegistrationRig()
        let identity = try await rig.registration().register()
        let key = try #require(identity.attestationKeyID.flatMap(rig.attestation.publicKey))
        #expect(Base64.encode(Array(SHA256.hash(data: key))) == identity.attestationKeyID)
        for counter in 1...2 {
            let assertion = try #require(try await made(rig, identity).map(Assertion.init))
            #expect(assertion.authenticatorData.suffix(4) == [0, 0, 0, UInt8(counter)])
            #expect(assertion.authenticatorData.prefix(32) == ContentDigest(of: Array(SimulatedDevice.developmentAppID.utf8)).bytes[...])
            let hash = CaptureClientData.hash(photo: photo, depth: depth, metadata: metadata).bytes
            let nonce = Data(SHA256.hash(data: assertion.authenticatorData + hash))
            let signature = try P256.Signing.ECDSASignature(derRepresentation: assertion.signature)
            #expect(try P256.Signing.PublicKey(x963Representation: key).isValidSignature(signature, for: nonce))
        }
    }

    @Test(
        "that fail are results",
        arguments: [
            (.invalidKey, .needsNewIdentity), (.serverUnavailable, .retryLater), (.failed("unknown"), .retryLater),
            (.notSupported, .unsupported),
        ] as [(AttestationServiceFailure, CaptureAsserter.Outcome)])
    func failure(_ failure: AttestationServiceFailure, _ outcome: CaptureAsserter.Outcome) async throws {
        let rig = try RegistrationRig()
        let identity = try await rig.registration().register()
        rig.attestation.failAssertions(failure)
        #expect(await outcome == self.outcome(rig, identity))
        #expect(try await made(rig, identity) != nil)
    }

    @Test("of an unknown key need a new identity")
    func unknownKey() async throws {
        let (rig, other) = (try RegistrationRig(), try RegistrationRig())
        #expect(await outcome(rig, try await other.registration().register()) == .needsNewIdentity)
    }

    @Test("wait for the registration")
    func unregistered() async throws {
        let rig = try RegistrationRig()
        let identity = DeviceIdentity(attestationKeyID: "key", requestKey: rig.requestKeys.generate(), state: .attesting)
        #expect(await outcome(rig, identity) == .retryLater)
    }

    @Test("do not exist without App Attest, nor for a device that the server did not verify")
    func unverified() async throws {
        let bare = try RegistrationRig(isSupported: false)
        #expect(await outcome(bare, try await bare.registration().register()) == .unsupported)
        let result = RegistrationResult(
            deviceID: DeviceID(), attestationLevel: .unverified, hasLiDAR: true, attestationFailure: "cert_chain")
        let identity = DeviceIdentity(attestationKeyID: "key", requestKey: bare.requestKeys.generate(), state: .registered(result))
        #expect(await outcome(bare, identity) == .unsupported)
    }

    @Test("are tried again after one, two and four seconds, then not")
    func retries() {
        let delays = (0...5).map(AssertionRetry.delay(afterFailures:))
        #expect(delays == [nil, .seconds(1), .seconds(2), .seconds(4), nil, nil])
    }

    private func outcome(_ rig: RegistrationRig, _ identity: DeviceIdentity) async -> CaptureAsserter.Outcome {
        let hash = CaptureClientData.hash(photo: photo, depth: depth, metadata: metadata)
        return await CaptureAsserter(rig.attestation).assertion(over: hash, by: identity)
    }

    private func made(_ rig: RegistrationRig, _ identity: DeviceIdentity) async throws -> [UInt8]? {
        if case .made(let bytes) = await outcome(rig, identity) { bytes } else { nil }
    }
}

/// An assertion's two fields, read from CBOR `{"signature": h'…', "authenticatorData": h'…'}` with one-byte lengths.
private struct Assertion {
    let signature: [UInt8]
    let authenticatorData: [UInt8]

    init(_ bytes: [UInt8]) throws {
        let head = [0xa2, 0x69] + Array("signature".utf8) + [0x58]
        try #require(bytes.starts(with: head) && bytes.count > head.count)
        let start = head.count + 1
        let end = start + Int(bytes[head.count])
        let second = [0x71] + Array("authenticatorData".utf8) + [0x58, 37]
        try #require(bytes.count == end + second.count + 37 && bytes[end...].starts(with: second))
        signature = Array(bytes[start..<end])
        authenticatorData = Array(bytes.suffix(37))
    }
}
