import CaptureProtocol
import ContentCredentials
import Delivery
import Foundation
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import EvidenceAssembler

@Suite("Captures that wait for signer or time stamp", .sharedSchema("waiting"))
struct WaitingTests {
    /// Deletes the waiting captures of other tests of the suite.
    func only(_ rig: any AssemblerRig) async throws {
        guard let rig = rig as? PostgresRig else { return }
        _ = try await rig.database.query("TRUNCATE captures CASCADE")
    }

    @Test("one whose signer is away is parked with all its parts, and completed once the signer is back", arguments: Backend.available)
    func parked(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture()
        // It had failed; now the reason for the failure is gone.
        try await rig.giveUp(.media, of: capture.id, .intakeMissing)
        rig.issuer.set(.noSigner)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        #expect(try await rig.state(of: capture.id) == CaptureState())
        // The last part is recent: the capture may still be in progress.
        #expect(try await rig.captures.unsigned(limit: 50).all.isEmpty)
        try await rig.age(capture.id)
        #expect(try await rig.captures.unsigned(limit: 50).all == [capture.id])
        try await rig.retryUnsigned()
        #expect(try await rig.state(of: capture.id) == CaptureState())
        rig.issuer.set(.signs)
        for _ in 0..<2 { try await rig.retryUnsigned() }
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .embedded)
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.failed, .complete])
        #expect(try await rig.captures.unsigned(limit: 50).all.isEmpty)
    }

    @Test("one that is being assembled does not wait, however long that takes: it is not assembled twice", arguments: Backend.available)
    func underWay(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture()
        let isSigning = Flag()
        rig.issuer.set(.signs) { [id = capture.id] in
            guard !isSigning.isSet else { return }
            isSigning.set()
            try await rig.age(id)
            #expect(try await rig.captures.unsigned(limit: 50).all == [id])
            try await rig.retryUnsigned()
        }
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        #expect(isSigning.isSet && rig.issuer.asked == [capture.id])
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.complete])
        #expect(!rig.underWay.contains(capture.id))
    }

    @Test("a video that another instance may be assembling counts as waiting after three minutes", arguments: Backend.available)
    func videoElsewhere(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let video = try await SampleCapture(unreadableVideo: CaptureID(), in: rig.store)
        try await rig.accept(video.announcement)
        for part in EvidencePart.allCases {
            try await rig.answer(part, try video.result(of: part), failure: nil, of: video.id)
            let context = MessageContext(eventID: EventID(), topic: .mediaSynced, logger: .quiet)
            _ = try await rig.captures.take(part, of: video.id, answering: context)
        }
        try await rig.age(video.id, seconds: 170)
        #expect(try await rig.captures.unsigned(limit: 50).all.isEmpty)
        try await rig.age(video.id, seconds: 20)
        #expect(try await rig.captures.unsigned(limit: 50).all == [video.id])
    }

    @Test("a video that was completed while it waited for its turn is not read again")
    func videoOvertaken() async throws {
        let rig = MemoryRig()
        let video = try await SampleCapture(unreadableVideo: CaptureID(), in: rig.store)
        let parts = try #require(
            try EvidenceParts(EvidencePart.allCases.map { StoredPart(part: $0, result: try video.result(of: $0), reason: nil) }))
        let gathered = try GatheredCapture(
            announcement: video.announcement, mediaHash: video.announcement.content.mediaHash,
            capturedAt: StoredCapture.capturedAt(video.announcement), parts: parts, isRevoked: false)
        let event = MessageContext(eventID: EventID(), topic: .mediaSynced, logger: .quiet)
        for event in [event, nil] { try await rig.assembly().complete(gathered, event: event, .quiet) { nil } }
        #expect(!rig.store.requests.contains { $0.verb == .get } && rig.issuer.asked.isEmpty)
        #expect(!rig.underWay.contains(video.id))
    }

    @Test(
        "one for which the disk has no room waits in the same way, and holds up no other", arguments: Backend.available,
        [ScriptedIssuer.Behaviour.diskFull, .noRoom])
    func noRoom(backend: Backend, disk: ScriptedIssuer.Behaviour) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture()
        rig.issuer.set(disk)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        #expect(try await rig.state(of: capture.id) == CaptureState())
        try await rig.age(capture.id)
        try await rig.retryUnsigned()
        #expect(try await rig.captures.unsigned(limit: 50).all == [capture.id])
        rig.issuer.set(.signs)
        try await rig.retryUnsigned()
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .embedded)
    }

    @Test(
        "a turn does not end at those for which the disk has no room", arguments: Backend.available,
        [ScriptedIssuer.Behaviour.diskFull, .noRoom])
    func manyWithoutRoom(backend: Backend, disk: ScriptedIssuer.Behaviour) async throws {
        let rig = try backend.rig()
        try await only(rig)
        rig.issuer.set(disk)
        var captures: [CaptureID] = []
        for _ in 0..<5 {
            let capture = try await rig.capture()
            for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
            try await rig.age(capture.id)
            captures.append(capture.id)
        }
        let asked = rig.issuer.asked.count
        try await rig.retryUnsigned()
        #expect(Set(rig.issuer.asked.dropFirst(asked)) == Set(captures))
    }

    @Test(
        "a turn of signed copies does not end at those for which the disk has no room", arguments: Backend.available,
        [ScriptedIssuer.Behaviour.diskFull, .noRoom])
    func manyCompleteWithoutRoom(backend: Backend, disk: ScriptedIssuer.Behaviour) async throws {
        let rig = try backend.rig()
        try await only(rig)
        rig.issuer.set(.noTimestamp)
        var captures: [CaptureID] = []
        for _ in 0..<5 { captures.append(try await rig.completed(try await SampleCapture(in: rig.store)).id) }
        let asked = rig.issuer.asked.count
        rig.issuer.set(disk)
        try await rig.retryWaiting()
        #expect(Set(rig.issuer.asked.dropFirst(asked)) == Set(captures))
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        for capture in captures { #expect(try await rig.state(of: capture).package?.contentCredentials.status == .embedded) }
    }

    @Test("one without a time stamp is complete with its public copy, and signed once the authority is back", arguments: Backend.available)
    func stamped(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture()
        rig.issuer.set(.noTimestamp)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        let unstamped = try await rig.state(of: capture.id)
        #expect(unstamped.status == .complete && unstamped.package?.contentCredentials.status == .pending)
        #expect(unstamped.objects[.publicCopy] != nil && unstamped.objects[.signedCopy] == nil)
        for away in [ScriptedIssuer.Behaviour.noTimestamp, .noSigner] {
            rig.issuer.set(away)
            try await rig.retryWaiting()
            #expect(try await rig.state(of: capture.id) == unstamped)
        }
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        let signed = try await rig.state(of: capture.id)
        #expect(signed.package?.contentCredentials.status == .embedded)
        #expect(signed.objects[.signedCopy] != nil && signed.objects[.manifest] != nil)
        #expect(try await rig.credentials.waiting(limit: 50).all.isEmpty)
        // Once more, for the log.
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.complete, .complete])
    }

    @Test("one is signed with the time that its device signed, whatever its row says", arguments: Backend.available)
    func signedTime(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture { capture in
            capture.depth.exif = EXIFFields()
            capture.depth.exif?.dateTimeOriginal = "2026:11:21 05:59:55"
            capture.depth.exif?.offsetTimeOriginal = "+00:00"
        }
        rig.issuer.set(.noTimestamp)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        // Versions that did not compare the two have completed such captures.
        try await rig.redate(capture.id, to: .exact(Date(timeIntervalSince1970: 1_700_000_000)))
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        let signed = try #require(Timestamp.parse("2026-11-21T05:59:55Z"))
        #expect(rig.issuer.claimed.map(\.capturedAt) == [signed, signed])
        let stated = try await rig.made(about: capture.id).map { $0.statement.verdict?.capturedAt }
        #expect(stated == [.exact(signed), .exact(signed)])
    }

    @Test(
        "one that was withdrawn and erased while it was signed leaves nothing but objects that are looked for again",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func withdrawn() async throws {
        let rig = PostgresRig(database: try #require(TestSchema.shared))
        try await only(rig)
        let capture = try await rig.capture()
        let id = capture.id
        rig.issuer.set(.noTimestamp)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        rig.issuer.set(.signs, meanwhile: { try await rig.erase(id) })
        try await rig.retryWaiting()
        #expect(try await rig.state(of: id) == CaptureState(status: .withdrawn))
        #expect(try await rig.isLookedFor(id))
    }

    @Test(
        "one whose row is not that of its announcement is not signed, and waits no more",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func unfit() async throws {
        let rig = PostgresRig(database: try #require(TestSchema.shared))
        try await only(rig)
        let capture = try await rig.capture()
        rig.issuer.set(.noTimestamp)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        _ = try await rig.database.query(
            """
            UPDATE captures SET announcement = jsonb_set(announcement, '{capture_id}', to_jsonb(gen_random_uuid()))
            WHERE id = \(capture.id.uuid)
            """)
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        let credentials = try await rig.state(of: capture.id).package?.contentCredentials
        #expect(credentials?.status == .unavailable && credentials?.reason?.known == .photoNotSignable)
        #expect(rig.issuer.asked == [capture.id])
        #expect(try await rig.credentials.waiting(limit: 50).all.isEmpty)
    }

    @Test("one that can never be signed says why, and waits no more", arguments: Backend.available)
    func settled(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let (refused, swapped, missing) = (try await rig.capture(), try await rig.capture(), try await rig.capture())
        rig.issuer.set(.noTimestamp)
        for capture in [refused, swapped, missing] {
            for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        }
        try await rig.store.put(try #require(swapped.original?.key), bytes: [1], contentType: "image/jpeg")
        try await rig.store.delete([try #require(missing.original?.key)])
        rig.issuer.set(.refuses)
        try await rig.retryWaiting()
        for (capture, reason) in [
            (refused, CredentialsReason.photoNotSignable), (swapped, .digestMismatch), (missing, .pictureMissing),
        ] {
            let credentials = try await rig.state(of: capture.id).package?.contentCredentials
            #expect(credentials?.status == .unavailable && credentials?.reason?.text == reason.rawValue)
        }
        #expect(try await rig.credentials.waiting(limit: 50).all.isEmpty)
    }

    @Test("of two that sign one capture at once the first counts", arguments: Backend.available)
    func first(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture()
        rig.issuer.set(.noTimestamp)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        let waiting = try #require(try await rig.credentials.find(capture.id))
        func settle(_ reason: CredentialsReason) async throws -> ContentCredentialsEvidence? {
            try await rig.credentials.settle(capture.id, waiting, .failure(NotSignable(reason: reason)))
        }
        #expect(try await settle(.photoNotSignable)?.status == .unavailable)
        #expect(try await settle(.digestMismatch) == nil)
        #expect(try await rig.credentials.find(capture.id) == nil)
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.reason?.text == "photo_not_signable")
    }

    @Test("a copy that states a verdict of before is not published: it is signed again", arguments: Backend.available)
    func otherVerdict(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let capture = try await rig.capture()
        rig.issuer.set(.noTimestamp)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        let before = try #require(try await rig.credentials.find(capture.id))
        var findings = DepthFindings(measurements: capture.depth.measurements, preview: nil)
        findings.measurements?.verdict = .flat
        try await rig.request(reassessmentOf: capture.id, measured: findings)
        try await rig.reassess()
        #expect(try await rig.outcome(of: capture.id) == "reassessed")
        #expect(try await rig.credentials.settle(capture.id, before, .failure(NotSignable(reason: .photoNotSignable))) == nil)
        rig.issuer.set(.signs)
        try await rig.retryWaiting()
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .embedded)
        #expect(rig.issuer.claimed.last?.confidence.level == .medium)
    }

    @Test("one that crashed three processes is given up, not tried for ever", arguments: Backend.available)
    func crashes(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        let (unsigned, unstamped) = (try await rig.capture(), try await rig.capture())
        for (capture, behaviour) in [(unsigned, ScriptedIssuer.Behaviour.noSigner), (unstamped, .noTimestamp)] {
            rig.issuer.set(behaviour)
            for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        }
        try await rig.age(unsigned.id)
        rig.issuer.set(.signs)
        let asked = rig.issuer.asked.count
        // As processes leave it that crash over both, each long after the one before.
        for _ in 0..<3 {
            for (task, capture) in [("unsigned captures", unsigned), ("waiting credentials", unstamped)] {
                #expect(try await rig.ledger(task).take(capture.id.uuid) == .taken)
            }
            // The last crash may have been a moment ago, or another instance is at work.
            try await rig.retryUnsigned()
            try await rig.retryWaiting()
            try await rig.ageLedgers()
        }
        try await rig.retryUnsigned()
        try await rig.retryWaiting()
        #expect(rig.issuer.asked.count == asked)
        let failed = try await rig.state(of: unsigned.id)
        #expect(failed.status == .failed && failed.failure == FailureReason.processDied.rawValue)
        #expect(try await rig.announced(for: unsigned.id).map(\.status) == [.failed])
        let credentials = try await rig.state(of: unstamped.id).package?.contentCredentials
        #expect(credentials?.status == .unavailable && credentials?.reason?.text == CredentialsReason.photoNotSignable.rawValue)
    }

    @Test("a turn ends after three that met a dependency that is away", arguments: Backend.available)
    func limited(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        var captures: [SampleCapture] = []
        rig.issuer.set(.noSigner)
        for _ in 0..<5 {
            let capture = try await rig.capture()
            for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
            try await rig.age(capture.id)
            captures.append(capture)
        }
        rig.issuer.set(.storeAway)
        let before = rig.issuer.asked.count
        await #expect(throws: ObjectStorageError.self) { try await rig.retryUnsigned() }
        #expect(rig.issuer.asked.count - before == FailureLimit.failures)
        rig.issuer.set(.signs)
        try await rig.retryUnsigned()
        for capture in captures { #expect(try await rig.state(of: capture.id).status == .complete) }
    }

    @Test("one that cannot be read does not hold up the others", arguments: Backend.available)
    func unreadable(backend: Backend) async throws {
        let rig = try backend.rig()
        try await only(rig)
        rig.issuer.set(.noSigner)
        var captures: [SampleCapture] = []
        for _ in 0..<5 {
            let capture = try await rig.capture()
            for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
            try await rig.age(capture.id)
            captures.append(capture)
        }
        for capture in captures.prefix(4) { try await rig.store.delete([try #require(capture.original?.key)]) }
        rig.issuer.set(.signs)
        try await rig.retryUnsigned()
        #expect(try await rig.state(of: captures[4].id).status == .complete)
        #expect(try await rig.captures.unsigned(limit: 50).all.count == 4)
    }
}
