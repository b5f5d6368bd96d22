import CaptureProtocol
import Delivery
import Models
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

@testable import AttestationVerifier

@Suite("Appraisal of captures", .sharedSchema("appraisals"))
struct AppraiseCaptureTests {
    private static func pass(_ counter: UInt32, outOfOrder: Bool = false) -> HardwareAppraisal {
        .pass(SignedCapture(binding: .photoDepthMetadata, counter: counter, isOutOfOrder: outOfOrder))
    }

    @Test(
        "an assertion over what was received passes, its counter is consumed, and it is said that there is an answer",
        arguments: Backend.available)
    func passes(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let capture = Fixture.announcement(by: id, assertion: try device.fixtureAssertion(counter: 3))
        try await rig.accept(capture)
        try await rig.handle(capture.captureID)
        let findings = try #require(try await rig.findings(capture.captureID))
        #expect(findings.appraisal == Self.pass(3))
        #expect(findings.level == .secureEnclave && findings.environment == "development" && findings.isDevelopmentAttestation)
        #expect(findings.deviceModel == device.model && findings.hasLiDAR == true)
        #expect(try await rig.answers(for: capture.captureID) == [.done(capture.captureID)])
        #expect(rig.store.requests.isEmpty, "nothing of the photo has to be read")
    }

    @Test("a capture seen again has the first answer, announced once an event", arguments: Backend.available)
    func again(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let capture = Fixture.announcement(by: id, assertion: try device.fixtureAssertion())
        try await rig.accept(capture)
        let event = EventID()
        for _ in 0..<2 { try await rig.handle(capture.captureID, event: event) }
        #expect(try await rig.answers(for: capture.captureID).count == 1)
        let note = try #require(OperatorNote([]))
        #expect(try await rig.devices.apply(.revoked, to: id, note))
        try await rig.handle(capture.captureID)
        try await rig.giveUp(capture.captureID, .handlingFailed)
        #expect(try await rig.answers(for: capture.captureID) == [.done(capture.captureID), .done(capture.captureID)])
        #expect(try await rig.findings(capture.captureID)?.appraisal == Self.pass(1))
    }

    @Test("a counter is one capture's, ever; a lower one than seen before is late, which is no fault", arguments: Backend.available)
    func counters(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        var appraisals: [HardwareAppraisal?] = []
        for counter in [UInt32(7), 7, 5, 8] {
            let capture = Fixture.announcement(by: id, assertion: try device.fixtureAssertion(counter: counter))
            try await rig.accept(capture)
            try await rig.handle(capture.captureID)
            appraisals.append(try await rig.findings(capture.captureID)?.appraisal)
        }
        #expect(appraisals == [Self.pass(7), .fail(.counterReplay), Self.pass(5, outOfOrder: true), Self.pass(8)])
    }

    @Test("two devices may have the same counter", arguments: Backend.available)
    func devices(backend: Backend) async throws {
        let rig = try backend.rig()
        for var device in [SimulatedDevice(), SimulatedDevice()] {
            let id = try await rig.register(device)
            let capture = Fixture.announcement(by: id, assertion: try device.fixtureAssertion(counter: 7))
            try await rig.accept(capture)
            try await rig.handle(capture.captureID)
            #expect(try await rig.findings(capture.captureID)?.appraisal == Self.pass(7))
        }
    }

    @Test("what a revoked device signs fails and uses up no counter, and counts again once it is restored", arguments: Backend.available)
    func revoked(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let assertion = try device.fixtureAssertion(counter: 2)
        let note = try #require(OperatorNote([]))
        for (action, expected) in [(DeviceAction.revoked, HardwareAppraisal.fail(.deviceRevoked)), (.restored, Self.pass(2))] {
            _ = try await rig.devices.apply(action, to: id, note)
            let capture = Fixture.announcement(by: id, assertion: assertion)
            try await rig.accept(capture)
            try await rig.handle(capture.captureID)
            #expect(try await rig.findings(capture.captureID)?.appraisal == expected)
        }
    }

    @Test(
        "what is signed by a device that is revoked while it is appraised fails, with or without an assertion, and uses up no counter",
        arguments: Backend.available)
    func revokedMeanwhile(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let assertion = try device.fixtureAssertion(counter: 2)
        let note = try #require(OperatorNote([]))
        for sent in [assertion, nil] {
            let capture = Fixture.announcement(by: id, assertion: sent)
            try await rig.accept(capture)
            try await rig.handle(capture.captureID) { _ = try await rig.devices.apply(.revoked, to: id, note) }
            #expect(try await rig.findings(capture.captureID)?.appraisal == .fail(.deviceRevoked))
            _ = try await rig.devices.apply(.restored, to: id, note)
        }
        let capture = Fixture.announcement(by: id, assertion: assertion)
        try await rig.accept(capture)
        try await rig.handle(capture.captureID) { _ = try await rig.devices.apply(.restored, to: id, note) }
        #expect(try await rig.findings(capture.captureID)?.appraisal == Self.pass(2))
    }

    @Test("a device that is restored while its capture is appraised is read again, and its capture counts", arguments: Backend.available)
    func restoredMeanwhile(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let capture = Fixture.announcement(by: id, assertion: try device.fixtureAssertion(counter: 2))
        try await rig.accept(capture)
        let note = try #require(OperatorNote([]))
        #expect(try await rig.devices.apply(.revoked, to: id, note))
        let event = EventID()
        await #expect {
            try await rig.handle(capture.captureID, event: event) { _ = try await rig.devices.apply(.restored, to: id, note) }
        } throws: {
            isDependencyFailure($0)
        }
        #expect(try await rig.findings(capture.captureID) == nil)
        #expect(try await rig.answers(for: capture.captureID).isEmpty)
        try await rig.handle(capture.captureID, event: event)
        #expect(try await rig.findings(capture.captureID)?.appraisal == Self.pass(2))
        #expect(try await rig.answers(for: capture.captureID) == [.done(capture.captureID)])
    }

    @Test("an assertion over a hash-only payload passes once, for this payload", arguments: Backend.available)
    func hashOnly(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let payload = HashOnlySamples.payload()
        let hash = HashOnlyClientData.hash(payload: try payload.bytes()).bytes
        let other = HashOnlySamples.payload(model: "iPhone 16 Pro")
        func appraisal(_ payload: HashOnlyPayload, _ assertion: [UInt8]) async throws -> HardwareAppraisal? {
            let capture = try HashOnlySamples.announcement(payload, by: id, assertion: assertion)
            try await rig.accept(capture)
            try await rig.handle(capture.captureID)
            return try await rig.findings(capture.captureID)?.appraisal
        }
        let assertion = try device.assertion(clientDataHash: hash, counter: 4)
        let signed = SignedCapture(binding: .payload, counter: 4, isOutOfOrder: false)
        #expect(try await appraisal(payload, assertion) == .pass(signed))
        #expect(try await appraisal(payload, assertion) == .fail(.counterReplay))
        #expect(try await appraisal(other, try device.assertion(clientDataHash: hash)) == .fail(.badSignature))
        #expect(rig.store.requests.isEmpty, "there is nothing to read")
    }

    @Test("without an assertion nothing is held against the capture", arguments: Backend.available)
    func none(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = Fixture.announcement(by: try await rig.register(SimulatedDevice()), assertion: nil)
        try await rig.accept(capture)
        try await rig.handle(capture.captureID)
        #expect(try await rig.findings(capture.captureID)?.appraisal == .unavailable(.noAssertion))
    }

    @Test(
        "one that is given up stands as failed until there is an answer; one that nobody accepted is rejected", arguments: Backend.available
    )
    func givenUp(backend: Backend) async throws {
        let rig = try backend.rig()
        var device = SimulatedDevice()
        let capture = Fixture.announcement(by: try await rig.register(device), assertion: try device.fixtureAssertion())
        try await rig.accept(capture)
        try await rig.giveUp(capture.captureID, .handlingFailed)
        let nobody = CaptureID()
        try await rig.giveUp(nobody, .handlingFailed)
        #expect(try await rig.answers(for: nobody).isEmpty)
        let failed = AttestationAppraised.failed(capture.captureID, reason: .handlingFailed)
        #expect(try await rig.answers(for: capture.captureID) == [failed])
        #expect(try await rig.findings(capture.captureID) == nil)
        try await rig.handle(capture.captureID)
        #expect(try await rig.answers(for: capture.captureID) == [failed, .done(capture.captureID)])
        await #expect { try await rig.handle(nobody) } throws: { ($0 as? RejectedMessage)?.reason == .captureUnknown }
    }

    @Test("a capture of a device that is not known is rejected")
    func deviceUnknown() async throws {
        let rig = MemoryRig()
        let capture = Fixture.announcement(by: DeviceID(), assertion: nil)
        try await rig.accept(capture)
        await #expect { try await rig.handle(capture.captureID) } throws: { ($0 as? RejectedMessage)?.reason == .deviceUnknown }
        #expect(try await rig.answers(for: capture.captureID).isEmpty)
    }
}

@Suite("Appraisal of captures in which photo and depth were signed together")
struct PhotoThenDepthTests {
    private static let both = Fixture.photo + Fixture.depth

    /// An accepted capture.
    /// - Parameters:
    ///   - announced: the digest of both together; `nil` if they were in an order in which the gateway could not hash them together.
    ///   - signed: what the device signed.
    private func accepted(_ rig: MemoryRig, announced: ContentDigest? = nil, signed: [UInt8] = Self.both) async throws
        -> CaptureAnnouncement
    {
        var device = SimulatedDevice()
        let id = try await rig.register(device)
        let assertion = try device.assertion(clientDataHash: ContentDigest(of: signed).bytes)
        let capture = Fixture.announcement(by: id, assertion: assertion, photoThenDepth: announced)
        try await rig.accept(capture)
        return capture
    }

    private func put(_ bytes: [UInt8], as name: String, of capture: CaptureAnnouncement, in store: MemoryObjectStore) async throws {
        try await store.put("incoming/\(capture.captureID)/\(name)", bytes: bytes, contentType: "image/jpeg")
    }

    @Test("the stored parts are read to compare the signature with them", arguments: [nil, ContentDigest(of: both)])
    func read(announced: ContentDigest?) async throws {
        let rig = MemoryRig()
        let capture = try await accepted(rig, announced: announced)
        try await put(Fixture.photo, as: "photo", of: capture, in: rig.store)
        try await put(Fixture.depth, as: "depth", of: capture, in: rig.store)
        try await rig.handle(capture.captureID)
        let expected = SignedCapture(binding: .photoDepth, counter: 1, isOutOfOrder: false)
        #expect(try await rig.findings(capture.captureID)?.appraisal == .pass(expected))
        #expect(rig.store.requests.count { $0.verb == .get } == 2)
    }

    @Test("a signature over something else does not pass because its digest is announced as theirs")
    func otherDigest() async throws {
        let rig = MemoryRig()
        let other = Array("anything".utf8)
        let capture = try await accepted(rig, announced: ContentDigest(of: other), signed: other)
        try await put(Fixture.photo, as: "photo", of: capture, in: rig.store)
        try await put(Fixture.depth, as: "depth", of: capture, in: rig.store)
        try await rig.handle(capture.captureID)
        #expect(try await rig.findings(capture.captureID)?.appraisal == .fail(.badSignature))
    }

    @Test("bytes that were not accepted are rejected, and so are bytes that are gone")
    func swapped() async throws {
        let rig = MemoryRig()
        let capture = try await accepted(rig)
        await #expect { try await rig.handle(capture.captureID) } throws: { ($0 as? RejectedMessage)?.reason == .intakeMissing }
        try await put([9, 9, 9, 9, 9], as: "photo", of: capture, in: rig.store)
        try await put(Fixture.depth, as: "depth", of: capture, in: rig.store)
        await #expect { try await rig.handle(capture.captureID) } throws: { ($0 as? RejectedMessage)?.reason == .digestMismatch }
        #expect(try await rig.findings(capture.captureID) == nil)
    }

    @Test("a store that is away is waited for")
    func away() async throws {
        let rig = MemoryRig()
        let capture = try await accepted(rig)
        rig.store.refuse { _ in .unavailable }
        await #expect { try await rig.handle(capture.captureID) } throws: { ($0 as? ObjectStorageError)?.isTransient == true }
        #expect(try await rig.findings(capture.captureID) == nil)
    }
}
