import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing
import TransparencyLog

@testable import EvidenceAssembler

@Suite("Statements about captures", .sharedSchema("statements"))
struct StatementTests {
    private static func object(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test("the first is made with the verdict, once, and opens what the log commits to", arguments: Backend.available)
    func assessment(backend: Backend) async throws {
        let rig = try backend.rig()
        var sample = try await SampleCapture(in: rig.store, assertion: [9, 9])
        sample.attestation.attestationDigest = ContentDigest(of: [5])
        let capture = try await rig.completed(sample)
        for part in EvidencePart.allCases { try await rig.deliver(part, of: capture.id) }
        let made = try await rig.made(about: capture.id)
        #expect(made.count == 1)
        let kept = try #require(made.first)
        #expect(kept.statement.kind == .assessment && kept.statement.sequence == 0 && kept.statement.previous == nil)
        #expect(kept.statement.capture == capture.id && kept.notBefore == nil && kept.leafIndex == nil)
        #expect(kept.commitment == kept.statement.commitment(salt: kept.salt))
        #expect(abs(Double(kept.statement.time) - Date().timeIntervalSince1970) < 60)

        let verdict = try #require(kept.statement.verdict)
        #expect(verdict.kind == .photo && verdict.media == capture.original?.sha256 && verdict.confidence == .high)
        #expect(verdict.capturedAt.text == "2026-11-21T05:59:55.000Z" && verdict.receivedAt.text == "2026-11-21T06:00:00.000Z")
        #expect(verdict.manifest == "urn:c2pa:\(capture.id)")
        #expect(Set(verdict.files.keys) == ["thumbnail.jpg", "c2pa.jpg", "manifest.c2pa", "og.jpg"])
        #expect(verdict.files["manifest.c2pa"] == ContentDigest(of: [1]))
        #expect(verdict.evidence == ContentDigest(of: try #require(kept.evidence)))

        let names: [RawParts.Name: ContentDigest] = [
            .photo: try #require(capture.media.objects[.original]).sha256, .depth: try #require(capture.media.objects[.depth]).sha256,
            .metadata: ContentDigest(of: capture.announcement.metadata), .assertion: ContentDigest(of: [9, 9]),
            .attestation: ContentDigest(of: [5]),
        ]
        #expect(kept.raw == Dictionary(uniqueKeysWithValues: names.map { ($0.key.rawValue, $0.value.hex) }))
        let salt = try #require(kept.rawSalt.flatMap { Salt(bytes: $0) })
        #expect(salt != kept.salt && verdict.raw == RawParts(digests: names, salt: salt).digest)
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.complete])
    }

    @Test("its evidence is the public form without the place, and without what links captures of a device", arguments: Backend.available)
    func evidence(backend: Backend) async throws {
        let rig = try backend.rig()
        var sample = try await SampleCapture(
            in: rig.store,
            metadata: Array(
                """
                {"captured_at": "2026-11-21T05:59:55Z", "device_model": "iPhone16,1", "photo_hash": "\(String(repeating: "0", count: 64))",
                "depth_map_dimensions": {"width": 2, "height": 2}, "location": {"latitude": 45.764043, "longitude": 4.835659}}
                """.utf8))
        sample.attestation.attestationDigest = ContentDigest(of: [5])
        let capture = try await rig.completed(sample)
        let package = try #require(try await rig.state(of: capture.id).package)
        #expect(package.metadata.locationCoarse == "Lyon, France" && package.hardwareAttestation.counter != nil)
        let kept = try #require(try await rig.made(about: capture.id).first)
        let bytes = try #require(kept.evidence)
        let text = String(decoding: bytes, as: UTF8.self).withoutTimes
        for word in [
            "location_coarse", "latitude", "longitude", "Lyon", "45.76", "4.83", "counter", ContentDigest(of: [5]).hex,
            ContentDigest(of: capture.announcement.metadata).hex,
        ] {
            #expect(!text.contains(word) && !String(decoding: kept.statement.bytes, as: UTF8.self).contains(word), "\(word)")
        }
        var expected = try Self.object(WireJSON.encode(package.publicForm(sharing: .everything)))
        var metadata = try #require(expected["metadata"] as? [String: Any])
        var location = try #require(metadata["location"] as? [String: Any])
        #expect(location.removeValue(forKey: "latitude") != nil && location.removeValue(forKey: "longitude") != nil)
        #expect(metadata.removeValue(forKey: "location_coarse") != nil && metadata["location_available"] as? Bool == true)
        metadata["location"] = location
        expected["metadata"] = metadata
        #expect(try Self.object(bytes) as NSDictionary == expected as NSDictionary)
    }

    @Test("is made of a video, and names its chain")
    func video() throws {
        func media(_ name: MediaName, _ byte: UInt8) -> StoredMedia {
            StoredMedia(key: name.rawValue, sha256: ContentDigest(of: [byte]), sizeBytes: 1, contentType: name.contentType)
        }
        let announcement = CaptureAnnouncement(
            captureID: CaptureID(), deviceID: DeviceID(),
            content: .video(
                VideoContent(
                    video: media(.originalVideo, 1), depth: media(.depth, 2), hashChain: media(.hashChain, 3), moov: 0..<1)),
            metadata: [4], assertion: nil, receivedAt: HashOnlySamples.receipt)
        let stated = StatedCapture(
            announcement, mediaHash: ContentDigest(of: [1]), attestation: nil, capturedAt: .exact(HashOnlySamples.receipt),
            package: Samples.Evidence().package, confidence: .medium,
            objects: [.originalVideo: ContentDigest(of: [1]), .hashChain: ContentDigest(of: [3]), .signedVideo: ContentDigest(of: [6])],
            manifestID: nil)
        let made = try StatementMaker().assessment(of: stated)
        #expect(
            made.raw?.digests == [
                .video: ContentDigest(of: [1]), .depth: ContentDigest(of: [2]), .hashChain: ContentDigest(of: [3]),
                .metadata: ContentDigest(of: [4]),
            ])
        #expect(made.statement.verdict?.kind == .video && made.statement.verdict?.files == ["c2pa.mp4": ContentDigest(of: [6])])
        #expect(made.statement.verdict?.manifest == nil && made.statement.verdict?.confidence == .medium)
    }

    @Test("tells the time no finer than the person shares it, and waits for the end of the day", arguments: MetadataFlags.all)
    func flags(flags: MetadataFlags) async throws {
        for backend in Backend.available {
            let rig = try backend.rig()
            let sample = try await SampleCapture(
                hashOnly: HashOnlySamples.announcement(HashOnlySamples.payload(sharing: flags), assertion: [9]), in: rig.store)
            let before = Date()
            let capture = try await rig.completed(sample)
            let kept = try #require(try await rig.made(about: capture.id).first)
            let verdict = try #require(kept.statement.verdict)
            let isHeld = flags.timestamp != .exact
            #expect(kept.raw?.keys.sorted() == ["assertion", "payload"] && verdict.kind == .hashOnly)
            #expect(verdict.receivedAt.text == (isHeld ? "2026-11-21" : "2026-11-21T06:00:00.000Z"))
            let captured: String? =
                switch flags.timestamp {
                case .none: nil
                case .day: "2026-11-21"
                case .exact: "2026-11-21T05:59:55.000Z"
                }
            #expect(verdict.capturedAt.text == captured)
            if isHeld {
                let midnights = [before, Date()].map { Timestamp.startOfDay($0).addingTimeInterval(86_400) }
                let midnight = Date(timeIntervalSince1970: TimeInterval(kept.statement.time))
                #expect(midnights.contains(midnight) && kept.notBefore == midnight.addingTimeInterval(1800))
                let texts = [kept.statement.bytes, kept.evidence ?? []].map { String(decoding: $0, as: UTF8.self) }
                #expect(texts.allSatisfy { !$0.contains(":00.000Z") && !$0.contains(":59:55") && !$0.contains("T0") })
            } else {
                #expect(kept.notBefore == nil && abs(Double(kept.statement.time) - before.timeIntervalSince1970) < 60)
            }
            let text = String(decoding: kept.evidence ?? [], as: UTF8.self)
            #expect(text.contains("iPhone") == (flags.device != .none))
        }
    }

    @Test("what is withheld is logged from half past midnight, UTC")
    func logTime() {
        let moment = Date(timeIntervalSince1970: 1_795_240_800.75)
        #expect(LogTime(moment, isHeld: false).seconds == 1_795_240_800 && LogTime(moment, isHeld: false).notBefore == nil)
        // 2026-11-22, 00:00 and 00:30.
        let held = LogTime(moment, isHeld: true)
        #expect(held.seconds == 1_795_305_600 && held.notBefore == Date(timeIntervalSince1970: 1_795_307_400))
        // The first and the last moment of the day.
        for other in [1_795_219_200, 1_795_305_599.999] { #expect(LogTime(Date(timeIntervalSince1970: other), isHeld: true) == held) }
    }

    @Test("a second one follows when Content Credentials come later", arguments: Backend.available)
    func credentials(backend: Backend) async throws {
        let rig = try backend.rig()
        rig.issuer.set(.noTimestamp)
        let capture = try await rig.completed(try await SampleCapture(in: rig.store))
        rig.issuer.set(.signs)
        for _ in 0..<2 { try await rig.retryWaiting() }
        let made = try await rig.made(about: capture.id)
        #expect(made.map(\.statement.kind) == [.assessment, .credentials])
        let (first, second) = (try #require(made.first), try #require(made.last))
        #expect(second.statement.previous == first.commitment && second.statement.subject == first.statement.subject)
        #expect(Set([first.salt.bytes, first.rawSalt, second.salt.bytes, second.rawSalt]).count == 4)
        let (before, after) = (try #require(first.statement.verdict), try #require(second.statement.verdict))
        #expect(before.manifest == nil && before.files["c2pa.jpg"] == nil && before.files["public.jpg"] != nil)
        #expect(after.manifest == "urn:c2pa:\(capture.id)" && after.files["c2pa.jpg"] != nil && after.files["manifest.c2pa"] != nil)
        #expect(second.evidence.map { String(decoding: $0, as: UTF8.self).contains("embedded") } == true)
        #expect(first.raw == second.raw && after.media == before.media)
        #expect(try await rig.announced(for: capture.id).map(\.status) == [.complete, .complete])
    }

    @Test("none follows when they cannot be made", arguments: Backend.available)
    func noCredentials(backend: Backend) async throws {
        let rig = try backend.rig()
        rig.issuer.set(.noTimestamp)
        let capture = try await rig.completed(try await SampleCapture(in: rig.store))
        rig.issuer.set(.refuses)
        try await rig.retryWaiting()
        #expect(try await rig.state(of: capture.id).package?.contentCredentials.status == .unavailable)
        #expect(try await rig.made(about: capture.id).map(\.statement.kind) == [.assessment])
    }

    @Test("captures of before there were any get theirs, once, as if made then", arguments: Backend.available)
    func unstated(backend: Backend) async throws {
        let rig = try backend.rig()
        try await rig.stateUnstated()
        var captures: [SampleCapture] = []
        for _ in 0..<3 { captures.append(try await rig.completed(try await SampleCapture(in: rig.store, assertion: [9]))) }
        captures.append(try await rig.completed(try await SampleCapture(hashOnly: HashOnlySamples.announcement(), in: rig.store)))
        let waiting = try await rig.capture()
        let before = try await rig.made(about: captures[0].id)
        for capture in captures { try await rig.forgetStatements(about: capture.id) }
        #expect(try await rig.statements.countUnstated() == 4)
        async let one: Void = rig.stateUnstated()
        async let other: Void = rig.stateUnstated()
        _ = try await (one, other)
        #expect(try await rig.statements.countUnstated() == 0)
        for capture in captures {
            let made = try await rig.made(about: capture.id)
            #expect(made.map(\.statement.kind) == [.assessment])
            #expect(try await rig.announced(for: capture.id).count == 2)
        }
        #expect(try await rig.made(about: waiting.id).isEmpty)
        let (first, again) = (try #require(before.first), try #require(try await rig.made(about: captures[0].id).first))
        #expect(again.evidence == first.evidence && again.raw == first.raw && again.statement.subject != first.statement.subject)
        let (old, new) = (try #require(first.statement.verdict), try #require(again.statement.verdict))
        #expect(new.files == old.files && new.manifest == old.manifest && new.algorithms == old.algorithms && new.raw != old.raw)
    }

    @Test("where it stands in the published log is noted with the event or a minute later, and never moves", arguments: Backend.available)
    func logged(backend: Backend) async throws {
        let rig = try backend.rig()
        let capture = try await rig.completed(try await SampleCapture(in: rig.store))
        // A forged record.
        try await rig.deliver(logOf: capture.id)
        try await rig.deliver(logOf: CaptureID())
        #expect(try await rig.made(about: capture.id).first?.leafIndex == nil)
        let event = EventID()
        try await rig.log(try await rig.made(about: capture.id), isPublished: true)
        for _ in 0..<2 { try await rig.deliver(logOf: capture.id, event: event) }
        let noted = try await rig.made(about: capture.id)
        #expect(noted.first?.origin == "rial.example/log/2026" && noted.first?.leafIndex != nil)
        try await rig.deliver(logOf: capture.id)
        #expect(try await rig.made(about: capture.id) == noted)

        let (late, unpublished) = (
            try await rig.completed(try await SampleCapture(in: rig.store)), try await rig.completed(try await SampleCapture(in: rig.store))
        )
        try await rig.log(try await rig.made(about: late.id), isPublished: true)
        try await rig.log(try await rig.made(about: unpublished.id), isPublished: false)
        try await rig.noteLogged()
        #expect(try await rig.made(about: late.id).first?.leafIndex == nil)
        for one in [late, unpublished] { try await rig.ageStatements(about: one.id) }
        try await rig.noteLogged()
        #expect(try await rig.made(about: late.id).first?.leafIndex != nil)
        try await rig.deliver(logOf: unpublished.id)
        #expect(try await rig.made(about: unpublished.id).first?.leafIndex == nil)
    }
}
