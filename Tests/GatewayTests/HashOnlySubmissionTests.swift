import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import TestSupport
import Testing

@testable import Gateway
@testable import SimulatedDevice

@Suite("Bodies of hash-only captures")
struct HashOnlySubmissionTests {
    /// A verified device as the gateway knows it.
    static func known(_ device: SimulatedDevice, isVerified: Bool = true) throws -> KnownDevice {
        try KnownDevice(device, isVerified: isVerified)
    }

    static func body(_ payload: [UInt8], _ device: inout SimulatedDevice, defect: Defect? = nil) throws -> [UInt8] {
        let assertion = try device.assertion(clientDataHash: HashOnlyClientData.hash(payload: payload).bytes, defect: defect)
        return HashOnlyBody(payload: payload, assertion: assertion).bytes()
    }

    private func code(_ bytes: [UInt8], _ device: KnownDevice) -> ErrorCode? {
        refusal { _ = try HashOnlySubmission(bytes, from: device) }?.code
    }

    @Test("keep the payload as it was sent")
    func sound() throws {
        var device = SimulatedDevice()
        let payload = try HashOnlySamples.payload().bytes() + [0x20, 0x0a]
        let submission = try HashOnlySubmission(Self.body(payload, &device), from: Self.known(device))
        #expect(submission.payloadBytes == payload && submission.payload == HashOnlySamples.payload())
    }

    @Test("are refused in the order: form, assertion, signature, payload, depth")
    func order() throws {
        var device = SimulatedDevice()
        let known = try Self.known(device)
        let payload = try HashOnlySamples.payload().bytes()
        #expect(code(Array("{}".utf8), known) == .validationError)
        #expect(code(Array("no JSON".utf8), known) == .validationError)
        let large = Array(repeating: UInt8(0x20), count: 10_001)
        #expect(code(try Self.body(large, &device), known) == .payloadTooLarge)
        let noCBOR = HashOnlyBody(payload: Array("no JSON".utf8), assertion: [0xff]).bytes()
        #expect(code(noCBOR, known) == .invalidAssertion)
        #expect(code(HashOnlyBody(payload: payload, assertion: Array(repeating: 0x41, count: 4000)).bytes(), known) == .invalidAssertion)
        // Of a payload that is not signed nothing is said.
        let unsigned = HashOnlyBody(payload: Array("no JSON".utf8), assertion: [0xa0]).bytes()
        #expect(code(unsigned, known) == .attestationFailed)
        #expect(code(try Self.body(Array("no JSON".utf8), &device), known) == .invalidMetadata)
        let both = String(decoding: payload, as: UTF8.self).replacing(#""version":1"#, with: #""version":2"#)
            .replacing(#""coverage":0.97"#, with: #""coverage":2"#)
        #expect(code(try Self.body(Array(both.utf8), &device), known) == .invalidMetadata)
        let depth = String(decoding: payload, as: UTF8.self).replacing(#""coverage":0.97"#, with: #""coverage":2"#)
        #expect(code(try Self.body(Array(depth.utf8), &device), known) == .invalidDepthFormat)
    }

    @Test("need an assertion by this attested device over this payload")
    func signature() throws {
        var device = SimulatedDevice()
        let payload = try HashOnlySamples.payload().bytes()
        let body = try Self.body(payload, &device)
        #expect(code(body, try Self.known(device)) == nil)
        #expect(code(body, try Self.known(device, isVerified: false)) == .attestationFailed)
        #expect(code(body, try Self.known(SimulatedDevice())) == .attestationFailed)
        for defect in [Defect.badSignature, .assertionOfOtherApp, .assertionTrailingCBOR] {
            let expected = defect == .assertionTrailingCBOR ? ErrorCode.invalidAssertion : .attestationFailed
            #expect(code(try Self.body(payload, &device, defect: defect), try Self.known(device)) == expected)
        }
        var changed = payload
        changed[changed.count - 2] ^= 1
        let sound = try HashOnlyBody.parse(body)
        #expect(code(HashOnlyBody(payload: changed, assertion: sound.assertion).bytes(), try Self.known(device)) == .attestationFailed)
        // Without the tag it would be an assertion for something else.
        let untagged = try device.assertion(clientDataHash: ContentDigest(of: payload).bytes)
        #expect(code(HashOnlyBody(payload: payload, assertion: untagged).bytes(), try Self.known(device)) == .attestationFailed)
    }
}

@Suite("Recorded hash-only captures", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct HashOnlyRecordTests {
    private func submission(
        _ device: inout SimulatedDevice, sharing flags: MetadataFlags = .everything
    ) throws -> HashOnlySubmission {
        let body = try HashOnlySubmissionTests.body(HashOnlySamples.payload(sharing: flags).bytes(), &device)
        return try HashOnlySubmission(body, from: HashOnlySubmissionTests.known(device))
    }

    @Test("have the time as it is shared, and are read again", arguments: TimePrecision.allCases)
    func recorded(precision: TimePrecision) async throws {
        try await GatewayDatabase.with { pool in
            let captures = PostgresCaptureRepository(database: pool, outbox: Outbox(.gateway))
            let owner = try await CaptureRepositoryTests.insertDevice(pool)
            var device = SimulatedDevice()
            let flags = MetadataFlags(location: .coarse, timestamp: precision, device: .none)
            let submission = try submission(&device, sharing: flags)
            let id = CaptureID()
            guard case .new = try await captures.record(id, submission, device: owner, begun: .now, receivedAt: now) else {
                Issue.record("not a new capture")
                return
            }
            let row = try #require(try await captures.find(id))
            #expect(row.kind == .hashOnly && row.flags == flags && row.mediaHash == HashOnlySamples.mediaHash)
            #expect(row.capturedAt == submission.payload.capturedAt && row.capturedAt.precision == precision)
            #expect(row.location == PreciseLocation(latitude: 45.76, longitude: 4.84))
            #expect(row.publicUploadedAt == (precision == .exact ? .exact(now) : SharedTime(now, .day)))
            let stored = try await pool.query("SELECT announcement FROM captures")
            let announcement = try stored[0].get("announcement", as: PostgresJSON.self).decode(CaptureAnnouncement.self)
            #expect(announcement.metadata == submission.payloadBytes && announcement.content == .hashOnly(submission.payload))
        }
    }

    @Test(
        "cannot contradict their flags",
        arguments: [
            "captured_at = NULL", "captured_precision = 'none'", "captured_precision = 'day'", "metadata_flags = NULL",
            "capture_mode = 'full'", "depth_sha256 = media_sha256", "assertion_sha256 = NULL", "detection = '{}'",
            #"metadata_flags = '{"location": "none", "timestamp": "exact", "device": "full"}'"#,
        ])
    func columns(change: String) async throws {
        try await GatewayDatabase.with { pool in
            let captures = PostgresCaptureRepository(database: pool, outbox: Outbox(.gateway))
            let owner = try await CaptureRepositoryTests.insertDevice(pool)
            var device = SimulatedDevice()
            _ = try await captures.record(CaptureID(), try submission(&device), device: owner, begun: .now, receivedAt: now)
            await #expect(throws: PostgresError.self) { try await pool.query("UPDATE captures SET \(unescaped: change)") }
        }
    }
}

@Suite("Hash-only captures that are sent again, in memory and in PostgreSQL")
struct RepeatedHashOnlyTests {
    @Test("are one capture, which is announced again only if it failed", arguments: Backend.available)
    func again(backend: Backend) async throws {
        try await backend.with { rig in
            let owner = try await rig.insertDevice()
            var device = SimulatedDevice()
            let body = try HashOnlySubmissionTests.body(HashOnlySamples.payload().bytes(), &device)
            let submission = try HashOnlySubmission(body, from: HashOnlySubmissionTests.known(device))
            let ids = try await withThrowingTaskGroup(of: CaptureID.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let id = CaptureID()
                        switch try await rig.captures.record(id, submission, device: owner, begun: .now, receivedAt: now) {
                        case .new: return id
                        case .known(let known): return known.id
                        }
                    }
                }
                return try await group.reduce(into: Set<CaptureID>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await rig.announced().count == 1)
            for id in ids { try await rig.fail(id) }
            _ = try await rig.captures.record(CaptureID(), submission, device: owner, begun: .now, receivedAt: now)
            #expect(try await rig.announced().count == 2)
        }
    }
}
