import CaptureProtocol
import Foundation
import Models
import SimulatedDevice
import TestSupport
import Testing

@testable import Attestation

/// What SPEC §10.4 and §10.5 say of a video's assertions.
@Suite("The hardware check of a recording")
struct RecordingSignaturesTests {
    private static let now = Date(timeIntervalSince1970: 1_795_240_800)
    /// What the final assertion is over.
    private static let end = ContentDigest(of: [9])

    /// A chain whose checkpoints are signed with these counters; `nil` for one that the device failed to sign.
    private func chain(_ device: inout SimulatedDevice, _ counters: [UInt32?]) throws -> HashChain {
        var checkpoints: [VideoCheckpoint] = []
        for (index, counter) in counters.enumerated() {
            let point = VideoCheckpoint(
                index: UInt32(index), frames: 50 * (index + 1), hash: ContentDigest(of: [UInt8(index)]), soundFrames: 0, soundHash: .zero,
                assertion: nil)
            var assertion: [UInt8]?
            if let counter { assertion = try device.assertion(clientDataHash: VideoClientData.hash(of: point).bytes, counter: counter) }
            checkpoints.append(point.signed(assertion))
        }
        return HashChain(frameHashes: [], finalHash: .zero, soundFrames: 0, soundFinalHash: nil, checkpoints: checkpoints)
    }

    private func signatures(_ chain: HashChain, end: [UInt8]?, by device: RegisteredDevice) -> RecordingSignatures {
        RecordingSignatures(of: chain, final: end, over: Self.end, by: device, .test, at: Self.now)
    }

    @Test("passes with what the final assertion covers, and has the counters of all")
    func whole() throws {
        var device = SimulatedDevice()
        let chain = try chain(&device, [1, 2])
        let end = try device.assertion(clientDataHash: Self.end.bytes)
        let found = signatures(chain, end: end, by: try RegisteredDevice(device))
        #expect(found.appraisal == .pass(SignedCapture(binding: .videoDepthMetadata, counter: 3)))
        #expect(found.counters == [1, 2, 3] && found.verifiedCheckpoints == [true, true])
    }

    @Test("passes with what the last signed checkpoint covers if the end is not signed")
    func partial() throws {
        var device = SimulatedDevice()
        let chain = try chain(&device, [1, nil])
        let found = signatures(chain, end: nil, by: try RegisteredDevice(device))
        #expect(found.appraisal == .pass(SignedCapture(binding: .checkpoint, counter: 1)))
        #expect(found.counters == [1] && found.verifiedCheckpoints == [true, false])
    }

    @Test("fails by a checkpoint of another key, although the end is signed")
    func strangeCheckpoint() throws {
        var (device, stranger) = (SimulatedDevice(), SimulatedDevice())
        let chain = try chain(&stranger, [1, 2])
        let end = try device.assertion(clientDataHash: Self.end.bytes, counter: 3)
        let found = signatures(chain, end: end, by: try RegisteredDevice(device))
        #expect(found.appraisal == .fail(.checkpointInvalid))
        #expect(found.counters == [3] && found.verifiedCheckpoints == [false, false])
    }

    @Test("fails by an end over other bytes, whatever the checkpoints are")
    func strangeEnd() throws {
        var device = SimulatedDevice()
        let chain = try chain(&device, [1, 2])
        let end = try device.assertion(clientDataHash: ContentDigest(of: [8]).bytes)
        let found = signatures(chain, end: end, by: try RegisteredDevice(device))
        #expect(found.appraisal == .fail(.badSignature))
        #expect(found.counters == [1, 2] && found.verifiedCheckpoints == [true, true])
    }

    @Test("fails if the counters do not rise to the end", arguments: [[2, 1, 3], [1, 3, 2], [1, 1, 2]] as [[UInt32]])
    func order(counters: [UInt32]) throws {
        var device = SimulatedDevice()
        let chain = try chain(&device, [counters[0], counters[1]])
        let end = try device.assertion(clientDataHash: Self.end.bytes, counter: counters[2])
        let found = signatures(chain, end: end, by: try RegisteredDevice(device))
        #expect(found.appraisal == .fail(.counterOrder) && found.counters == counters)
    }

    @Test("fails for a revoked device as such, not by a checkpoint")
    func revoked() throws {
        var device = SimulatedDevice()
        let found = signatures(try chain(&device, [1, 2]), end: nil, by: try RegisteredDevice(device, isRevoked: true))
        #expect(found.appraisal == .fail(.deviceRevoked) && found.counters.isEmpty && found.verifiedCheckpoints == [false, false])
    }

    @Test("is unavailable without any assertion, and for an unverified device")
    func missing() throws {
        var device = SimulatedDevice()
        let unsigned = signatures(try chain(&device, [nil, nil]), end: nil, by: try RegisteredDevice(device))
        #expect(unsigned.appraisal == .unavailable(.noAssertion) && unsigned.counters.isEmpty)
        let unverified = signatures(try chain(&device, [nil]), end: nil, by: try RegisteredDevice(device, level: .unverified))
        #expect(unverified.appraisal == .unavailable(.deviceUnverified))
    }

    @Test("is unavailable if the signatures are not accepted here, and still has what was signed")
    func refused() throws {
        var device = SimulatedDevice()
        let chain = try chain(&device, [1, 2])
        let end = try device.assertion(clientDataHash: Self.end.bytes)
        let found = signatures(chain, end: end, by: try RegisteredDevice(device, environment: "production"))
        #expect(found.appraisal == .unavailable(.environmentMismatch, signed: SignedCapture(binding: .videoDepthMetadata, counter: 3)))
        #expect(found.counters == [1, 2, 3] && found.verifiedCheckpoints == [true, true])
    }

    @Test("of the original layout covers nothing that was uploaded, in either form, but uses its counter", arguments: [0, 1])
    func original(form: Int) throws {
        let hash = Base64.encode(Self.end.bytes)
        let text = #"{"frame_hashes":["\#(hash)"],"checkpoints":[],"final_hash":"\#(hash)"}"#
        guard case .original(let chain) = try SubmittedHashChain.parse(Array(text.utf8)) else {
            Issue.record("not of the original layout")
            return
        }
        var device = SimulatedDevice()
        let known = try RegisteredDevice(device)
        func signatures(_ assertion: [UInt8]?, by device: RegisteredDevice) -> RecordingSignatures {
            RecordingSignatures(original: assertion, over: chain, by: device, .test, at: Self.now)
        }
        let assertion = try device.assertion(clientDataHash: VideoClientData.original(finalHash: chain.finalHash)[form].bytes)
        let found = signatures(assertion, by: known)
        #expect(found.appraisal == .inconclusive(.mediaNotBound) && found.counters == [1] && found.verifiedCheckpoints.isEmpty)
        let other = signatures(try device.assertion(clientDataHash: ContentDigest(of: [8]).bytes), by: known)
        #expect(other.appraisal == .fail(.badSignature) && other.counters.isEmpty)
        #expect(signatures(nil, by: known).appraisal == .unavailable(.noAssertion))
        let refused = signatures(assertion, by: try RegisteredDevice(device, environment: "production"))
        #expect(refused.appraisal == .unavailable(.environmentMismatch) && refused.counters == [1])
    }
}
