import CaptureProtocol
import Foundation
import Models
import SimulatedDevice
import Testing

@testable import Attestation

@Suite("The hardware check of a capture")
struct CaptureAppraiserTests {
    private static let now = Date(timeIntervalSince1970: 1_795_240_800)
    private static let (photo, depth, metadata) = (ContentDigest(of: [1]), ContentDigest(of: [2]), ContentDigest(of: [3]))
    private static let both = ContentDigest(of: [1, 2])
    private static let candidates = CaptureClientData.candidates(
        photo: photo, depth: depth, metadata: metadata, photoThenDepth: both)

    private func appraise(_ assertion: [UInt8]?, _ device: RegisteredDevice) -> HardwareAppraisal {
        CaptureAppraiser.test.appraise(assertion, by: device, over: Self.candidates, receivedAt: Self.now)
    }

    @Test("passes with the signed data and its counter, in either form", arguments: Array(candidates.indices))
    func passes(index: Int) throws {
        var device = SimulatedDevice()
        let assertion = try device.assertion(clientDataHash: Self.candidates[index].hash.bytes, counter: 5)
        #expect(
            appraise(assertion, try RegisteredDevice(device))
                == .pass(SignedCapture(binding: Self.candidates[index].binding, counter: 5)))
    }

    @Test("fails for another signature, another app, or the attestation's own counter")
    func fails() throws {
        var device = SimulatedDevice()
        let known = try RegisteredDevice(device)
        let hash = Self.candidates[0].hash.bytes
        #expect(appraise(try device.assertion(clientDataHash: ContentDigest(of: [9]).bytes), known) == .fail(.badSignature))
        #expect(appraise(try device.assertion(clientDataHash: hash, defect: .badSignature), known) == .fail(.badSignature))
        #expect(appraise(try device.assertion(clientDataHash: hash, defect: .assertionOfOtherApp), known) == .fail(.appIDMismatch))
        #expect(appraise(try device.assertion(clientDataHash: hash, counter: 0), known) == .fail(.counterReplay))
        #expect(appraise([0xa0], known) == .fail(.malformedObject))
    }

    @Test("fails if the device's key is no point of the curve")
    func brokenKey() throws {
        var device = SimulatedDevice()
        let assertion = try device.assertion(clientDataHash: Self.candidates[0].hash.bytes)
        let known = RegisteredDevice(
            level: .secureEnclave, isRevoked: false, publicKey: [4] + [UInt8](repeating: 0, count: 64), appID: device.appID,
            environment: device.environment, isDevelopmentRoot: true, validationCategory: nil, bundleVersion: nil)
        #expect(appraise(assertion, known) == .fail(.keyType))
    }

    @Test("fails for a revoked device, even with a valid signature")
    func revoked() throws {
        var device = SimulatedDevice()
        let assertion = try device.assertion(clientDataHash: Self.candidates[0].hash.bytes)
        #expect(appraise(assertion, try RegisteredDevice(device, isRevoked: true)) == .fail(.deviceRevoked))
        #expect(appraise(nil, try RegisteredDevice(device, level: .unverified, isRevoked: true)) == .fail(.deviceRevoked))
    }

    @Test("is unavailable, not failed, when something is missing")
    func missing() throws {
        var device = SimulatedDevice()
        let assertion = try device.assertion(clientDataHash: Self.candidates[0].hash.bytes)
        #expect(appraise(assertion, try RegisteredDevice(device, level: .unverified)) == .unavailable(.deviceUnverified))
        #expect(appraise(nil, try RegisteredDevice(device)) == .unavailable(.noAssertion))
    }

    @Test("is unavailable when a valid signature is not accepted here, and still reports what was signed")
    func refused() throws {
        var device = SimulatedDevice()
        let assertion = try device.assertion(clientDataHash: Self.photo.bytes, counter: 3)
        let appraisal = appraise(assertion, try RegisteredDevice(device, environment: "production"))
        #expect(appraisal == .unavailable(.environmentMismatch, signed: SignedCapture(binding: .photo, counter: 3)))
    }
}
