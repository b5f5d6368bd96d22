import CaptureProtocol
import Delivery
import Foundation
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing

@testable import EvidenceAssembler

@Suite("Assembly of a capture's parts", .sharedSchema("assembly"))
struct AssemblyTests {
    private static let permutations: [[EvidencePart]] = [
        [.attestation, .depth, .media], [.attestation, .media, .depth], [.depth, .attestation, .media], [.depth, .media, .attestation],
        [.media, .attestation, .depth], [.media, .depth, .attestation],
    ]

    @Test("completes it with the last part, in any order, once", arguments: Backend.available, permutations)
    func orders(backend: Backend, order: [EvidencePart]) async throws {
        let rig = try backend.rig()
        let capture = try await rig.capture()
        let events = order.map { _ in EventID() }
        for (part, event) in zip(order, events) {
            #expect(try await rig.state(of: capture.id) == CaptureState())
            try await rig.finish(part, of: capture, event: event)
        }
        let state = try await rig.state(of: capture.id)
        #expect(state.status == .complete && state.package?.contentCredentials.status == .embedded)
        #expect(Set(state.objects.keys) == [.original, .depth, .thumbnail, .signedCopy, .manifest, .shareCard])
        #expect(state.objects.values.allSatisfy { rig.store.bytes($0) != nil })
        // Redelivers each event, and then announces each part again under a new event id.
        for (part, event) in zip(order, events) {
            try await rig.deliver(part, of: capture.id, event: event)
            try await rig.deliver(part, of: capture.id)
        }
        #expect(try await rig.state(of: capture.id) == state)
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.complete])
        #expect(rig.issuer.asked == [capture.id])
    }

    @Test("completes a hash-only capture with its share card, unsigned", arguments: Backend.available)
    func hashOnly(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await SampleCapture(hashOnly: HashOnlySamples.announcement(), in: rig.store)
        try await rig.accept(capture.announcement)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        let state = try await rig.state(of: capture.id)
        #expect(state.status == .complete && state.package?.depthAnalysis.status == .pass)
        #expect(state.package?.contentCredentials == ContentCredentialsEvidence(status: .withheld, reason: .mediaNotStored))
        #expect(Set(state.objects.keys) == [.metadata, .shareCard] && rig.issuer.asked.isEmpty)
        #expect(rig.store.keys.count == 2)
        #expect(try await rig.announced(for: capture.id).map(\.confidenceLevel) == [.high])
    }

    @Test("reads the photo once, and stores a public copy only where there is no signed one", arguments: Backend.available)
    func objects(backend: Backend) async throws {
        let rig = try backend.rig()
        let signed = try await rig.capture()
        // An invalid hardware signature: nothing may be signed (SPEC §7).
        let withheld = try await rig.capture { $0.attestation.appraisal = .sample(.fail) }
        for capture in [signed, withheld] {
            for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
            let key = try #require(capture.original?.key)
            #expect(rig.store.requests.count { $0.verb == .get && $0.key == key } == 1)
        }
        let state = try await rig.state(of: withheld.id)
        #expect(state.package?.contentCredentials.status == .withheld && rig.issuer.asked == [signed.id])
        #expect(Set(state.objects.keys) == [.original, .depth, .thumbnail, .publicCopy, .shareCard])
        #expect(try await rig.announced(for: withheld.id).map(\.confidenceLevel) == [.suspicious])
    }

    @Test("a part that was given up fails it, and found out after all completes it", arguments: Backend.available)
    func failsAndCompletes(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await rig.capture()
        try await rig.giveUp(.depth, of: capture.id, .handlingFailed)
        #expect(try await rig.state(of: capture.id) == CaptureState(status: .failed, failure: "handling_failed"))
        try await rig.finish(.attestation, of: capture)
        try await rig.finish(.media, of: capture)
        // The same failure is not announced twice; a different one is.
        try await rig.deliver(.depth, of: capture.id)
        try await rig.giveUp(.depth, of: capture.id, .depthUnreadable)
        #expect(try await rig.state(of: capture.id).failure == "depth_unreadable")
        try await rig.finish(.depth, of: capture)
        #expect(try await rig.state(of: capture.id).status == .complete)
        #expect(
            try await rig.announced(for: capture.id).map { $0.failure?.text ?? $0.status.rawValue }
                == ["handling_failed", "depth_unreadable", "complete"])
    }

    @Test("what was found of its media takes the place of what was found before, until it is complete", arguments: Backend.available)
    func replaces(backend: Backend) async throws {
        let rig = try backend.rig()
        var capture = try await rig.capture()
        try await rig.finish(.depth, of: capture)
        try await rig.finish(.attestation, of: capture)
        capture.depth.measurements = nil
        capture.attestation.deviceModel = "iPhone 13 Pro"
        try await rig.finish(.depth, of: capture)
        try await rig.finish(.attestation, of: capture)
        try await rig.finish(.media, of: capture)
        let package = try #require(try await rig.state(of: capture.id).package)
        #expect(package.depthAnalysis.status == .unavailable)
        // Findings about the assertion are final: later ones do not replace them.
        #expect(package.hardwareAttestation.deviceModel == "iPhone 15 Pro")
        capture.depth.unavailableReason = nil
        capture.depth.preview = capture.original
        try await rig.finish(.depth, of: capture)
        #expect(try await rig.state(of: capture.id).objects[.depthPreview] == nil)
    }

    @Test("a dead letter fails it, unless it is complete", arguments: Backend.available)
    func deadLetters(backend: Backend) async throws {
        let rig = try backend.rig()
        let (waiting, complete) = (try await rig.capture(), try await rig.capture())
        for part in EvidencePart.allCases { try await rig.finish(part, of: complete) }
        for capture in [waiting, complete] {
            for _ in 0..<2 { try await rig.deadLetter(capture.id, .originalMissing) }
        }
        #expect(try await rig.state(of: waiting.id) == CaptureState(status: .failed, failure: "original_missing"))
        #expect(try await rig.announced(for: waiting.id).map(\.status) == [.failed])
        #expect(try await rig.state(of: complete.id).status == .complete)
        #expect(try await rig.announced(for: complete.id).map(\.status) == [.complete])
    }

    @Test("is refused for what no retry can mend", arguments: Backend.available)
    func rejected(backend: Backend) async throws {
        let rig = try backend.rig()
        #expect(await rejection { try await rig.deliver(.media, of: CaptureID()) } == .captureUnknown)
        let unreadable = try await SampleCapture(in: rig.store, metadata: [0x7B])
        // The same number of values as in the 2 × 2 that are announced.
        let other =
            #"{"captured_at": "2026-11-21T05:59:55Z", "device_model": "iPhone16,1", "photo_hash": "\#(ContentDigest(of: [7]))", "depth_map_dimensions": {"width": 4, "height": 1}}"#
        let reshaped = try await SampleCapture(in: rig.store, metadata: Array(other.utf8))
        let missing = try await rig.capture()
        let swapped = try await rig.capture()
        for capture in [unreadable, reshaped] { try await rig.accept(capture.announcement) }
        try await rig.store.delete([try #require(missing.original?.key)])
        try await rig.store.put(try #require(swapped.original?.key), bytes: [1], contentType: "image/jpeg")
        for (capture, reason) in [
            (unreadable, FailureReason.metadataUnreadable), (reshaped, .captureUnreadable), (missing, .originalMissing),
            (swapped, .digestMismatch),
        ] {
            try await rig.finish(.attestation, of: capture)
            try await rig.finish(.depth, of: capture)
            #expect(await rejection { try await rig.finish(.media, of: capture) } == reason)
            #expect(try await rig.state(of: capture.id) == CaptureState())
        }
    }

    @Test("is refused where a service names a file that was not announced and is not its own", arguments: Backend.available)
    func foreign(backend: Backend) async throws {
        let rig = try backend.rig()
        let cases: [(EvidencePart, MediaName, FailureReason)] = [
            (.media, .publicCopy, .captureUnreadable), (.media, .thumbnail, .captureUnreadable), (.media, .original, .digestMismatch),
            (.media, .depth, .digestMismatch), (.media, .metadata, .digestMismatch), (.depth, .publicCopy, .captureUnreadable),
            (.depth, .original, .captureUnreadable), (.depth, .depthPreview, .captureUnreadable),
        ]
        for (part, name, reason) in cases {
            let capture = try await rig.capture()
            var forged = capture
            let other = StoredMedia(
                key: name.key(of: name == .depthPreview ? CaptureID() : capture.id, digest: ContentDigest(of: [8])),
                sha256: ContentDigest(of: [8]), sizeBytes: 1, contentType: name.contentType)
            if part == .media { forged.media.objects[name] = other } else { forged.depth.pictures?[name] = other }
            for sound in EvidencePart.allCases where sound != part { try await rig.finish(sound, of: capture) }
            #expect(await rejection { try await rig.finish(part, of: forged) } == reason, "\(part) \(name)")
            #expect(try await rig.state(of: capture.id) == CaptureState())
            try await rig.finish(part, of: capture)
            #expect(try await rig.state(of: capture.id).status == .complete)
        }
        let capture = try await rig.capture()
        var forged = capture
        forged.media.objects[.original] = nil
        for part in [EvidencePart.attestation, .depth] { try await rig.finish(part, of: capture) }
        #expect(await rejection { try await rig.finish(.media, of: forged) } == .originalMissing)
    }

    @Test("is refused where its row has the digest of another file, which would be found by it")
    func otherFile() async throws {
        let store = MemoryObjectStore()
        for sample in [
            try await SampleCapture(in: store), try await SampleCapture(hashOnly: HashOnlySamples.announcement(), in: store),
        ] {
            let parts = try #require(
                try EvidenceParts(EvidencePart.allCases.map { StoredPart(part: $0, result: try sample.result(of: $0), reason: nil) }))
            func gather(_ digest: ContentDigest) throws {
                _ = try GatheredCapture(
                    announcement: sample.announcement, mediaHash: digest, capturedAt: StoredCapture.capturedAt(sample.announcement),
                    parts: parts, isRevoked: false)
            }
            #expect(await rejection { try gather(ContentDigest(of: [9])) } == .digestMismatch)
            try gather(sample.announcement.content.mediaHash)
        }
    }

    @Test("is refused where its row says another time than the device signed, which would be shown", arguments: Backend.available)
    func otherTime(backend: Backend) async throws {
        let rig = try backend.rig()
        let byDay = HashOnlySamples.payload(sharing: MetadataFlags(location: .none, timestamp: .day, device: .none))
        for sample in [
            try await SampleCapture(in: rig.store), try await SampleCapture(hashOnly: HashOnlySamples.announcement(), in: rig.store),
            try await SampleCapture(hashOnly: HashOnlySamples.announcement(byDay), in: rig.store),
        ] {
            let signed = StoredCapture.capturedAt(sample.announcement)
            let date = try #require(signed.date).addingTimeInterval(86_400)
            try await rig.accept(sample.announcement)
            try await rig.redate(sample.id, to: SharedTime(date, signed.precision))
            for part in [EvidencePart.attestation, .depth] { try await rig.finish(part, of: sample) }
            #expect(await rejection { try await rig.finish(.media, of: sample) } == .captureUnreadable)
            #expect(try await rig.state(of: sample.id) == CaptureState())
            #expect(rig.issuer.claimed.isEmpty)
        }
    }

    @Test("is complete though its row has its time with fewer digits than the device sent", arguments: Backend.available)
    func digits(backend: Backend) async throws {
        let rig = try backend.rig()
        // Rounded to microseconds first, it is another millisecond.
        let metadata =
            #"{"captured_at": "2026-11-21T05:59:55.1234999Z", "device_model": "iPhone16,1", "photo_hash": "\#(ContentDigest(of: [7]))", "depth_map_dimensions": {"width": 2, "height": 2}}"#
        let sample = try await SampleCapture(in: rig.store, metadata: Array(metadata.utf8))
        try await rig.accept(sample.announcement)
        let stored = try #require(Timestamp.parse("2026-11-21T05:59:55.123500Z"))
        try await rig.redate(sample.id, to: .exact(stored))
        for part in EvidencePart.allCases { try await rig.finish(part, of: sample) }
        #expect(try await rig.state(of: sample.id).status == .complete)
    }

    @Test("takes the pictures that upload-sync made in earlier versions", arguments: Backend.available)
    func earlier(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await rig.capture { capture in
            capture.media.objects.merge(capture.depth.pictures ?? [:]) { $1 }
            capture.depth.pictures = nil
        }
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        #expect(try await rig.state(of: capture.id).objects[.thumbnail] == capture.media.objects[.thumbnail]?.key)
    }

    @Test("tries again what a store that is away left undone", arguments: Backend.available)
    func retried(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await rig.capture()
        try await rig.finish(.attestation, of: capture)
        try await rig.finish(.depth, of: capture)
        let event = EventID()
        rig.store.refuse { _ in .unavailable }
        await #expect(throws: ObjectStorageError.self) { try await rig.finish(.media, of: capture, event: event) }
        rig.store.refuse { _ in nil }
        try await rig.finish(.media, of: capture, event: event)
        #expect(try await rig.state(of: capture.id).status == .complete)
    }

    @Test(
        "of one that was withdrawn and erased meanwhile it leaves nothing but objects that are looked for again",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"), arguments: [false, true])
    func withdrawn(isAnswered: Bool) async throws {
        let rig = PostgresRig(database: try #require(TestSchema.shared))
        let capture = try await rig.capture()
        var gathered: GatheredCapture?
        for part in EvidencePart.allCases {
            try await rig.answer(part, try capture.result(of: part), failure: nil, of: capture.id)
            let context = MessageContext(eventID: EventID(), topic: .mediaSynced, logger: .quiet)
            if case .complete(let all) = try await rig.captures.take(part, of: capture.id, answering: context) { gathered = all }
        }
        try await rig.erase(capture.id)
        let last = MessageContext(eventID: EventID(), topic: .mediaSynced, logger: .quiet)
        if isAnswered {
            // By another instance.
            guard case .waiting = try await rig.captures.take(.media, of: capture.id, answering: last) else {
                Issue.record("it is withdrawn")
                return
            }
            try await rig.erase(capture.id)
        }
        #expect(try await !rig.isLookedFor(capture.id))
        let found = try #require(gathered)
        try await rig.assembly().complete(found, event: isAnswered ? last : nil, .quiet) { found }
        #expect(try await rig.state(of: capture.id) == CaptureState(status: .withdrawn))
        #expect(try await rig.isLookedFor(capture.id))
    }

    @Test(
        "of one that was withdrawn is tried again, or parked, without losing sight of the objects of the first attempt",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func withdrawnAgain() async throws {
        let rig = PostgresRig(database: try #require(TestSchema.shared))
        let capture = try await rig.capture()
        for part in EvidencePart.allCases.dropLast() { try await rig.finish(part, of: capture) }
        let last = try #require(EvidencePart.allCases.last)
        let event = EventID()
        rig.issuer.set(.storeAway, meanwhile: { [id = capture.id] in try await rig.erase(id) })
        await #expect(throws: ObjectStorageError.self) { try await rig.finish(last, of: capture, event: event) }
        #expect(try await !rig.isLookedFor(capture.id))
        try await rig.deliver(last, of: capture.id, event: event)
        #expect(try await rig.isLookedFor(capture.id))
        let parked = try await rig.capture()
        for part in EvidencePart.allCases.dropLast() { try await rig.finish(part, of: parked) }
        rig.issuer.set(.noSigner, meanwhile: { [id = parked.id] in try await rig.erase(id) })
        try await rig.finish(last, of: parked)
        #expect(try await rig.isLookedFor(parked.id))
    }

    @Test("a photo that is no sound JPEG is complete without a copy", arguments: Backend.available)
    func notAPhoto(backend: Backend) async throws {
        let rig = try backend.rig()
        var capture = try await SampleCapture(in: rig.store, photo: [0xFF, 0xD8, 0])
        capture.depth.pictures = [:]
        try await rig.accept(capture.announcement)
        for part in EvidencePart.allCases { try await rig.finish(part, of: capture) }
        let state = try await rig.state(of: capture.id)
        #expect(state.status == .complete && state.package?.contentCredentials.reason?.text == "photo_unreadable")
        #expect(Set(state.objects.keys) == [.original, .depth, .shareCard])
    }
}
