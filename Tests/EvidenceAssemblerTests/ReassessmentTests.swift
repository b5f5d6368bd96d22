import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import EvidenceAssembler

@Suite("Captures that operators have assessed again", .sharedSchema("reassessments"))
struct ReassessmentTests {
    /// A capture that an earlier method found real, complete.
    private func assessed(_ rig: any AssemblerRig, hardware: CheckStatus = .pass) async throws -> SampleCapture {
        var sample = try await SampleCapture(in: rig.store)
        sample.depth.measurements?.method = "relief-1"
        sample.attestation.appraisal = .sample(hardware)
        return try await rig.completed(sample)
    }

    private func measured(_ capture: SampleCapture, _ verdict: DepthVerdict, method: String = "relief-2") -> DepthFindings {
        var findings = DepthFindings(measurements: capture.depth.measurements, preview: nil)
        findings.measurements?.method = method
        findings.measurements?.verdict = verdict
        return findings
    }

    @Test(
        "get the verdict of the present method, in a statement after the first; the pictures and credentials stay",
        arguments: Backend.available)
    func again(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await assessed(rig)
        let before = try await rig.state(of: capture.id)
        try await rig.request(reassessmentOf: capture.id, measured: nil)
        try await rig.reassess()
        #expect(try await rig.state(of: capture.id) == before, "its depth is not measured yet")

        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        for _ in 0..<2 { try await rig.reassess() }
        #expect(try await rig.outcome(of: capture.id) == "reassessed")
        let after = try await rig.state(of: capture.id)
        let package = try #require(after.package)
        #expect(package.depthAnalysis.status == .inconclusive && package.algorithmVersions["depth"] == "relief-2")
        #expect(package.contentCredentials == before.package?.contentCredentials && package.processing == before.package?.processing)
        #expect(after.objects.filter { $0.key != .shareCard } == before.objects.filter { $0.key != .shareCard })
        #expect(after.objects[.shareCard] != before.objects[.shareCard], "it shows the confidence")
        #expect(rig.issuer.asked == [capture.id])

        let statements = try await rig.made(about: capture.id)
        #expect(statements.map(\.statement.kind) == [.assessment, .reassessment])
        let (first, last) = (try #require(statements.first), try #require(statements.last))
        #expect(first.statement.verdict?.confidence == .high && last.statement.verdict?.confidence == .medium)
        #expect(first.statement.verdict?.algorithms["depth"] == "relief-1" && last.statement.verdict?.algorithms["depth"] == "relief-2")
        #expect(last.statement.previous == first.commitment && last.statement.verdict?.manifest == first.statement.verdict?.manifest)
        #expect(last.evidence != first.evidence && last.raw == first.raw)
        #expect(try await rig.announced(for: capture.id).map(\.confidenceLevel) == [.high, .medium])
    }

    @Test("are compared as they are stored: a time that is computed again has more digits than one that is read")
    func storedForm() throws {
        var package = Samples.Evidence().package
        let time = Date(timeIntervalSince1970: 1_790_000_000.1234567)
        package.processing = .init(receivedAt: time, completedAt: time)
        let stored = try WireJSON.decode(EvidencePackage.self, from: try WireJSON.encode(package))
        #expect(package != stored)
        #expect(try package.isStored(as: stored))
        package.processing = .init(receivedAt: time, completedAt: time.addingTimeInterval(0.001))
        #expect(try !package.isStored(as: stored))
    }

    @Test("of which nothing is different are settled without a statement", arguments: Backend.available)
    func unchanged(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await assessed(rig)
        let before = try await rig.state(of: capture.id)
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .real, method: "relief-1"))
        try await rig.reassess()
        #expect(try await rig.outcome(of: capture.id) == "unchanged")
        #expect(try await rig.state(of: capture.id) == before)
        #expect(try await rig.made(about: capture.id).count == 1)
        #expect(try await rig.announced(for: capture.id).count == 1)
    }

    @Test("whose verdict was taken back stay so; once the device is restored they can be assessed", arguments: Backend.available)
    func revoked(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await assessed(rig)
        let device = capture.announcement.deviceID
        try await rig.decide("revoked", since: Date(timeIntervalSince1970: 1_700_000_000), about: device)
        try await rig.deliver(revisionOf: device)
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        try await rig.reassess()
        #expect(try await rig.outcome(of: capture.id) == "revoked")
        #expect(try await rig.made(about: capture.id).map(\.statement.kind) == [.assessment, .revocation])
        try await rig.decide("restored", since: nil, about: device)
        try await rig.deliver(revisionOf: device)
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        try await rig.reassess()
        let kinds = try await rig.made(about: capture.id).map(\.statement.kind)
        #expect(kinds == [.assessment, .revocation, .reassessment, .reassessment])
    }

    @Test("get Content Credentials that they could not have before", arguments: Backend.available)
    func credentials(backend: Backend) async throws {
        let rig = try backend.rig()
        rig.issuer.set(.noTimestamp)
        let capture = try await assessed(rig)
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        try await rig.reassess()
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .pending)
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        #expect(try await rig.made(about: capture.id).map(\.statement.kind) == [.assessment, .reassessment, .credentials])
        typealias Status = ContentCredentialsEvidence.Status
        for (stored, due, kept) in [
            (Status.embedded, Status.withheld, Status.embedded),
            (.pending, .pending, .pending), (.pending, .withheld, .withheld), (.withheld, .pending, .pending),
            (.unavailable, .pending, .unavailable), (.unavailable, .withheld, .withheld),
        ] {
            let stored = ContentCredentialsEvidence(status: stored, reason: nil)
            #expect(stored.renewed(ContentCredentialsEvidence(status: due, reason: nil)).status == kept)
        }
    }

    @Test(
        "that cannot be read any more keep their verdict, and do not hold up others; a store that is away is waited for",
        arguments: Backend.available)
    func unreadable(backend: Backend) async throws {
        let rig = try backend.rig()
        let (lost, sound) = (try await assessed(rig), try await assessed(rig))
        for capture in [lost, sound] { try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat)) }
        rig.store.refuse { $0.verb == .get ? .unavailable : nil }
        try await rig.reassess()
        for capture in [lost, sound] { #expect(try await rig.outcome(of: capture.id) == nil) }
        rig.store.refuse { _ in nil }
        try await rig.store.delete([try #require(lost.original?.key)])
        try await rig.reassess()
        #expect(try await rig.outcome(of: lost.id) == "original_missing")
        #expect(try await rig.outcome(of: sound.id) == "reassessed")
        #expect(try await rig.announced(for: lost.id).map(\.confidenceLevel) == [.high])
    }

    @Test("that have no statement yet wait for it, and nothing of them is read meanwhile", arguments: Backend.available)
    func unstated(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await assessed(rig)
        try await rig.forgetStatements(about: capture.id)
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        let original = try #require(capture.original?.key)
        let reads = rig.store.requests.count { $0.key == original }
        for _ in 0..<2 { try await rig.reassess() }
        #expect(rig.store.requests.count { $0.key == original } == reads)
        #expect(try await rig.outcome(of: capture.id) == nil)
        try await rig.stateUnstated()
        try await rig.reassess()
        #expect(try await rig.outcome(of: capture.id) == "reassessed")
        #expect(try await rig.made(about: capture.id).map(\.statement.kind) == [.assessment, .reassessment])
    }

    @Test("whose row says another time than the device signed keep their verdict", arguments: Backend.available)
    func otherTime(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await assessed(rig)
        try await rig.redate(capture.id, to: .exact(Date(timeIntervalSince1970: 1_700_000_000)))
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        try await rig.reassess()
        #expect(try await rig.outcome(of: capture.id) == "capture_unreadable")
        #expect(try await rig.made(about: capture.id).count == 1)
    }

    @Test(
        "that were withdrawn and erased meanwhile leave nothing but a card that is looked for again",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func withdrawn() async throws {
        let rig = PostgresRig(database: try #require(TestSchema.shared))
        let capture = try await assessed(rig)
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        let due = try #require(try await rig.reassessments.find(capture.id))
        try await rig.erase(capture.id)
        let verdict = RenewedVerdict(package: due.package, confidence: .medium, card: try #require(capture.original))
        #expect(try await rig.reassessments.settle(capture.id, verdict) == nil)
        #expect(try await rig.state(of: capture.id) == CaptureState(status: .withdrawn))
        #expect(try await rig.isLookedFor(capture.id))
    }

    @Test("are stated by the day, where their time is kept back", arguments: Backend.available)
    func held(backend: Backend) async throws {
        let rig = try backend.rig()
        let flags = MetadataFlags(location: .none, timestamp: .day, device: .none)
        let capture = try await rig.completed(
            try await SampleCapture(hashOnly: HashOnlySamples.announcement(HashOnlySamples.payload(sharing: flags)), in: rig.store))
        try await rig.request(reassessmentOf: capture.id, measured: measured(capture, .flat))
        try await rig.reassess()
        let last = try #require(try await rig.made(about: capture.id).last)
        #expect(last.statement.kind == .reassessment && last.statement.time.isMultiple(of: 86_400) && last.notBefore != nil)
    }
}
