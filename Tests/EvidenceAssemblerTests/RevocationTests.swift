import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import EvidenceAssembler

@Suite("Captures of devices that operators revoke", .sharedSchema("revocations"))
struct RevocationTests {
    private static let before = Date(timeIntervalSince1970: 1_700_000_000)
    private static let after = Date(timeIntervalSince1970: 4_000_000_000)

    private func kinds(_ rig: any AssemblerRig, _ capture: SampleCapture) async throws -> [Statement.Kind] {
        try await rig.made(about: capture.id).map(\.statement.kind)
    }

    @Test("are revoked from a time on, assessed again when it is restored, and revoked again", arguments: Backend.available)
    func revoked(backend: Backend) async throws {
        let rig = try backend.rig()
        let device = DeviceID()
        let capture = try await rig.completed(try await SampleCapture(in: rig.store, by: device))
        let stranger = try await rig.completed(try await SampleCapture(in: rig.store))
        let unfinished = try await SampleCapture(in: rig.store, by: device)
        try await rig.accept(unfinished.announcement)

        // A forged record, a revocation that counts for nothing of before, and one of later captures.
        try await rig.deliver(revisionOf: device)
        try await rig.decide("revoked", since: nil, about: device)
        try await rig.decide("revoked", since: Self.after, about: device)
        try await rig.deliver(revisionOf: device)
        #expect(try await kinds(rig, capture) == [.assessment])

        try await rig.decide("revoked", since: Self.before, about: device)
        let event = EventID()
        for _ in 0..<2 { try await rig.deliver(revisionOf: device, event: event) }
        try await rig.deliver(revisionOf: device)
        let revoked = try await rig.made(about: capture.id)
        #expect(revoked.map(\.statement.kind) == [.assessment, .revocation])
        let last = try #require(revoked.last)
        #expect(last.statement.content == .revocation(reason: "device_revoked") && last.statement.verdict == nil)
        #expect(last.statement.previous == revoked.first?.commitment && last.statement.subject == revoked.first?.statement.subject)
        #expect(last.evidence == nil && last.raw == nil && last.rawSalt == nil)
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.complete, .complete])

        // Another revocation that says less changes nothing.
        try await rig.decide("revoked", since: nil, about: device)
        try await rig.deliver(revisionOf: device)
        #expect(try await kinds(rig, capture) == [.assessment, .revocation])

        try await rig.decide("restored", since: nil, about: device)
        for _ in 0..<2 { try await rig.deliver(revisionOf: device) }
        let restored = try await rig.made(about: capture.id)
        #expect(restored.map(\.statement.kind) == [.assessment, .revocation, .reassessment])
        // The same again, under other salts.
        #expect(restored.last?.evidence == restored.first?.evidence && restored.last?.raw == restored.first?.raw)
        #expect(restored.last?.statement.verdict?.files == restored.first?.statement.verdict?.files)
        #expect(restored.last?.rawSalt != restored.first?.rawSalt)

        try await rig.decide("revoked", since: Self.before, about: device)
        try await rig.deliver(revisionOf: device)
        #expect(try await kinds(rig, capture) == [.assessment, .revocation, .reassessment, .revocation])
        #expect(try await kinds(rig, stranger) == [.assessment])
        #expect(try await kinds(rig, unfinished).isEmpty)
    }

    @Test(
        "are revoked though the last statement about another cannot be read",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func unreadable() async throws {
        let rig = PostgresRig(database: try #require(TestSchema.shared))
        let device = DeviceID()
        var captures: [SampleCapture] = []
        for _ in 0..<2 { captures.append(try await rig.completed(try await SampleCapture(in: rig.store, by: device))) }
        captures.sort { $0.id.description < $1.id.description }
        let (first, second) = (captures[0], captures[1])
        _ = try await rig.database.query("ALTER TABLE statements DROP CONSTRAINT statements_kind_check")
        _ = try await rig.database.query("UPDATE statements SET kind = 'corrected', sequence = 1 WHERE capture_id = \(first.id.uuid)")
        try await rig.decide("revoked", since: Self.before, about: device)
        try await rig.deliver(revisionOf: device)
        _ = try await rig.database.query("DELETE FROM statements WHERE capture_id = \(first.id.uuid)")
        _ = try await rig.database.query(
            """
            ALTER TABLE statements ADD CONSTRAINT statements_kind_check
                CHECK (kind IN ('assessment', 'credentials', 'reassessment', 'revocation', 'withdrawal'))
            """)
        #expect(try await kinds(rig, first).isEmpty)
        #expect(try await kinds(rig, second) == [.assessment, .revocation])
    }

    @Test("are assessed again with the time that the device signed, whatever their row says", arguments: Backend.available)
    func signedTime(backend: Backend) async throws {
        let rig = try backend.rig()
        let device = DeviceID()
        let capture = try await rig.completed(try await SampleCapture(in: rig.store, by: device))
        // Versions that did not compare the two have completed such captures.
        try await rig.redate(capture.id, to: .exact(Self.before))
        try await rig.decide("revoked", since: Self.before, about: device)
        try await rig.deliver(revisionOf: device)
        try await rig.decide("restored", since: nil, about: device)
        try await rig.deliver(revisionOf: device)
        let last = try #require(try await rig.made(about: capture.id).last)
        #expect(last.statement.kind == .reassessment && last.statement.verdict?.capturedAt.text == "2026-11-21T05:59:55.000Z")
    }

    @Test("are revoked although the event was lost, or they were completed or stated only later", arguments: Backend.available)
    func late(backend: Backend) async throws {
        let rig = try backend.rig()
        let device = DeviceID()
        let (known, unstated) = (
            try await rig.completed(try await SampleCapture(in: rig.store, by: device)),
            try await rig.completed(try await SampleCapture(in: rig.store, by: device))
        )
        try await rig.forgetStatements(about: unstated.id)
        let unfinished = try await SampleCapture(in: rig.store, by: device)
        try await rig.accept(unfinished.announcement)
        try await rig.decide("revoked", since: Self.before, about: device)
        for _ in 0..<2 { try await rig.reviseDevices() }
        #expect(try await kinds(rig, known) == [.assessment, .revocation])
        for part in EvidencePart.allCases { try await rig.finish(part, of: unfinished) }
        #expect(try await kinds(rig, unfinished) == [.assessment, .revocation])
        #expect(try await rig.announced(for: unfinished.id).count == 1)
        try await rig.stateUnstated()
        #expect(try await kinds(rig, unstated) == [.assessment, .revocation])
    }

    @Test("are revoked although the event was lost and nothing was at work for days", arguments: Backend.available)
    func longAgo(backend: Backend) async throws {
        let rig = try backend.rig()
        let device = DeviceID()
        let capture = try await rig.completed(try await SampleCapture(in: rig.store, by: device))
        try await rig.decide("revoked", since: Self.before, about: device)
        try await rig.ageDecisions(about: device)
        #expect(try await rig.statements.revisedDevices().contains(device) == false)
        for _ in 0..<2 { try await rig.reviseDevices() }
        #expect(try await kinds(rig, capture) == [.assessment, .revocation])
    }

    /// Captures of different devices that were revoked days ago, in the order in which the devices are looked at.
    private func revokedLongAgo(_ count: Int, in rig: MemoryRig) async throws -> [SampleCapture] {
        let devices = (0..<count).map { _ in DeviceID() }.sorted { $0.description < $1.description }
        var captures: [SampleCapture] = []
        for device in devices {
            captures.append(
                try await rig.completed(try await SampleCapture(hashOnly: HashOnlySamples.announcement(by: device), in: rig.store)))
            try await rig.decide("revoked", since: Self.before, about: device)
            try await rig.ageDecisions(about: device)
        }
        return captures
    }

    @Test("are revoked although another device fails, which is looked at again the next time", arguments: [true, false])
    func failingDevice(isTransient: Bool) async throws {
        let tooSlow = PostgresError(code: .query, message: "too slow", sqlState: "57014")
        let error: any Error = isTransient ? tooSlow : RejectedMessage(.captureUnreadable)
        let rig = MemoryRig()
        let captures = try await revokedLongAgo(3, in: rig)
        let device = captures[0].announcement.deviceID
        let revised = RevisedDevices(revision: DeviceRevision(statements: rig.statements, logger: .quiet))
        rig.captures.fail(device, with: error)
        try await revised.look()
        #expect(try await kinds(rig, captures[0]) == [.assessment])
        for capture in captures.dropFirst() { #expect(try await kinds(rig, capture) == [.assessment, .revocation]) }
        rig.captures.fail(device, with: nil)
        try await revised.look()
        #expect(try await kinds(rig, captures[0]) == [.assessment, .revocation])
    }

    @Test("are not looked for any longer once several devices in a row fail, and the next time behind these")
    func failingDatabase() async throws {
        let rig = MemoryRig()
        let captures = try await revokedLongAgo(FailureLimit.failures + 2, in: rig)
        let (failing, others) = (captures.prefix(FailureLimit.failures), captures.dropFirst(FailureLimit.failures))
        let revised = RevisedDevices(revision: DeviceRevision(statements: rig.statements, logger: .quiet))
        for capture in failing { rig.captures.fail(capture.announcement.deviceID, with: PostgresError(code: .timeout, message: "away")) }
        await #expect(throws: PostgresError.self) { try await revised.look() }
        for capture in captures { #expect(try await kinds(rig, capture) == [.assessment]) }
        await #expect(throws: PostgresError.self) { try await revised.look() }
        for capture in others { #expect(try await kinds(rig, capture) == [.assessment, .revocation]) }
        for capture in failing { rig.captures.fail(capture.announcement.deviceID, with: nil) }
        try await revised.look()
        for capture in captures { #expect(try await kinds(rig, capture) == [.assessment, .revocation]) }
    }

    @Test("are looked for device by device, in order", arguments: Backend.available)
    func pages(backend: Backend) async throws {
        let rig = try backend.rig()
        let devices = (0..<3).map { _ in DeviceID() }
        for device in devices {
            _ = try await rig.completed(try await SampleCapture(in: rig.store, by: device))
            for action in ["revoked", "restored"] { try await rig.decide(action, since: nil, about: device) }
        }
        var found: [DeviceID] = []
        while let next = try await rig.statements.revisedDevices(after: found.last, limit: 1).first { found.append(next) }
        #expect(found == found.sorted { $0.description < $1.description } && Set(found).isSuperset(of: devices))
        #expect(Set(found).count == found.count)
    }

    @Test("are revoked by the day, where their time is kept back", arguments: Backend.available)
    func held(backend: Backend) async throws {
        let rig = try backend.rig()
        let flags = MetadataFlags(location: .none, timestamp: .day, device: .none)
        let sample = try await SampleCapture(
            hashOnly: HashOnlySamples.announcement(HashOnlySamples.payload(sharing: flags)), in: rig.store)
        let capture = try await rig.completed(sample)
        try await rig.decide("revoked", since: Self.before, about: sample.announcement.deviceID)
        try await rig.deliver(revisionOf: sample.announcement.deviceID)
        let last = try #require(try await rig.made(about: capture.id).last)
        #expect(last.statement.kind == .revocation && last.statement.time.isMultiple(of: 86_400))
        #expect(last.notBefore == Date(timeIntervalSince1970: TimeInterval(last.statement.time + 1800)))
    }

    @Test("get no Content Credentials while they are revoked, and get them once they count again", arguments: Backend.available)
    func credentials(backend: Backend) async throws {
        let rig = try backend.rig()
        rig.issuer.set(.noTimestamp)
        let device = DeviceID()
        let capture = try await rig.completed(try await SampleCapture(in: rig.store, by: device))
        try await rig.decide("revoked", since: Self.before, about: device)
        rig.issuer.set(.signs)
        let asked = rig.issuer.asked.count
        try await rig.retryWaiting()
        #expect(!rig.issuer.asked.dropFirst(asked).contains(capture.id), "not even before the decision is carried out")
        try await rig.deliver(revisionOf: device)
        try await rig.retryWaiting()
        #expect(try await rig.credentials.waiting(limit: 1000).all.contains(capture.id) == false)
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .pending)
        #expect(!rig.issuer.asked.dropFirst(asked).contains(capture.id))
        #expect(try await kinds(rig, capture) == [.assessment, .revocation])
        try await rig.decide("restored", since: nil, about: device)
        try await rig.deliver(revisionOf: device)
        #expect(try await rig.credentials.waiting(limit: 1000).all.contains(capture.id))
        try await rig.retryWaiting()
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .embedded)
        #expect(try await kinds(rig, capture) == [.assessment, .revocation, .reassessment, .credentials])
        let last = try #require(try await rig.made(about: capture.id).last)
        #expect(last.statement.verdict?.manifest == "urn:c2pa:\(capture.id)")
    }

    @Test(
        "are not signed when they are completed, whether they were revoked before or while they were signed, but once they count again",
        arguments: Backend.available, [true, false])
    func completed(backend: Backend, isBefore: Bool) async throws {
        let rig = try backend.rig()
        let device = DeviceID()
        let revoke: @Sendable () async throws -> Void = { try await rig.decide("revoked", since: Self.before, about: device) }
        let capture = try await SampleCapture(in: rig.store, by: device)
        try await rig.accept(capture.announcement)
        for part in EvidencePart.allCases.dropLast() { try await rig.finish(part, of: capture) }
        let last = try #require(EvidencePart.allCases.last)
        if isBefore {
            try await revoke()
            try await rig.finish(last, of: capture)
            #expect(rig.issuer.asked.isEmpty)
        } else {
            rig.issuer.set(.signs, meanwhile: revoke)
            await #expect(throws: RevokedMeanwhile.self) { try await rig.finish(last, of: capture) }
            #expect(try await rig.state(of: capture.id) == CaptureState())
            try await rig.deliver(last, of: capture.id)
            #expect(rig.issuer.asked == [capture.id])
        }
        let unsigned = try await rig.state(of: capture.id)
        #expect(unsigned.status == .complete && unsigned.package?.contentCredentials.status == .pending)
        #expect(unsigned.objects[.publicCopy] != nil && unsigned.objects[.signedCopy] == nil)
        #expect(try await kinds(rig, capture) == [.assessment, .revocation])
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        #expect(try await rig.state(of: capture.id) == unsigned)
        try await rig.decide("restored", since: nil, about: device)
        try await rig.deliver(revisionOf: device)
        try await rig.retryWaiting()
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .embedded)
        #expect(try await kinds(rig, capture) == [.assessment, .revocation, .reassessment, .credentials])
    }

    @Test("get none either that were signed before, while the decision is not carried out yet or is", arguments: Backend.available)
    func signedBefore(backend: Backend) async throws {
        let rig = try backend.rig()
        rig.issuer.set(.noTimestamp)
        let device = DeviceID()
        let capture = try await rig.completed(try await SampleCapture(in: rig.store, by: device))
        let waiting = try #require(try await rig.credentials.find(capture.id))
        try await rig.decide("revoked", since: Self.before, about: device)
        func settle() async throws -> ContentCredentialsEvidence? {
            try await rig.credentials.settle(capture.id, waiting, .failure(NotSignable(reason: .photoNotSignable)))
        }
        #expect(try await settle() == nil)
        try await rig.deliver(revisionOf: device)
        #expect(try await settle() == nil)
        #expect(try await rig.credentials.find(capture.id) == nil)
        // Revoked until the statement that takes it back.
        try await rig.decide("restored", since: nil, about: device)
        #expect(try await settle() == nil)
        try await rig.deliver(revisionOf: device)
        #expect(try await settle()?.status == .unavailable)
    }

    @Test("are revoked in as many batches as it takes")
    func batches() async throws {
        let rig = MemoryRig()
        let device = DeviceID()
        var captures: [SampleCapture] = []
        for _ in 0..<(2 * DeviceRevision.batchSize + 1) {
            captures.append(
                try await rig.completed(try await SampleCapture(hashOnly: HashOnlySamples.announcement(by: device), in: rig.store)))
        }
        try await rig.decide("revoked", since: Self.before, about: device)
        try await rig.deliver(revisionOf: device)
        for capture in captures { #expect(try await kinds(rig, capture) == [.assessment, .revocation]) }
    }
}
