import CaptureProtocol
import Evidence
import Foundation
import Models
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("What the public sees of a hash-only capture")
struct HashOnlyPublicFormTests {
    private static let received = HashOnlySamples.receipt
    /// With so many digits that no random identifier has them.
    private static let counter = "4071178203"

    private static let cities = CityNames.bundled()

    /// A complete capture of a device that is registered with a model, at an exact time.
    private static func row(sharing flags: MetadataFlags) throws -> CaptureRow {
        let payload = HashOnlySamples.payload(sharing: flags)
        let findings = AttestationFindings(
            .sample(.pass, binding: .payload, counter: 4_071_178_203), level: .secureEnclave, environment: "production",
            isDevelopmentAttestation: false, deviceModel: HashOnlySamples.model, hasLiDAR: true)
        let package = EvidenceAssembly.assemble(
            attestation: findings, depth: DepthFindings(measurements: DepthMeasurements(HashOnlySamples.depth), preview: nil),
            statement: .hashOnly(payload), receivedAt: received, completedAt: received.addingTimeInterval(0.25), cities: cities
        ).package
        func json(_ value: some Encodable) throws -> String { String(decoding: try WireJSON.encode(value), as: UTF8.self) }
        return try CaptureRow(
            makeRow([
                "id": UUID().uuidString.lowercased(), "short_id": "abcdEFGH", "device_id": UUID().uuidString.lowercased(), "type": "photo",
                "capture_mode": "hash_only", "status": "complete", "failure": nil, "confidence_level": "high",
                "media_sha256": "\\x" + HashOnlySamples.mediaHash.hex,
                "captured_at": payload.capturedAt.date.map { Timestamp.format($0).replacing("T", with: " ").replacing("Z", with: "+00") },
                "captured_precision": flags.timestamp.rawValue, "metadata_flags": try json(flags),
                "uploaded_at": Timestamp.format(received).replacing("T", with: " ").replacing("Z", with: "+00"),
                "completed_at": nil, "withdrawn_at": nil, "evidence": try json(package), "location": try payload.location.map(json),
                "detection": nil,
                "media_names": "{og.jpg}", "depth_frames_size": nil, "is_revoked": "f",
            ]))
    }

    /// Text about the capture may tell no more than the flags.
    private func expectNoMore(than flags: MetadataFlags, _ text: String, _ what: String) {
        #expect(flags.device != .none || !text.contains("iPhone 15"), "\(what)")
        #expect(flags.timestamp == .exact || !text.contains("T06:00") && !text.contains("T05:59"), "\(what)")
        #expect(flags.timestamp == .exact || !text.contains("06:00") && !text.contains("05:59"), "\(what)")
        #expect(flags.location != .none || !text.contains("Lyon") && !text.contains("45.7"), "\(what)")
        #expect(!text.contains("45.764") && !text.contains(Self.counter), "\(what)")
    }

    private func text(_ value: some Encodable) throws -> String { String(decoding: try WireJSON.encode(value), as: UTF8.self) }

    @Test("is no more than the flags share, wherever it is shown", arguments: MetadataFlags.all)
    func everywhere(flags: MetadataFlags) throws {
        let row = try Self.row(sharing: flags)
        let links = MediaLinks(key: [UInt8](repeating: 7, count: 32))
        let view = try text(CaptureView(row, isOwner: false, log: nil, links: links, publicURL: publicURL, at: now))
        expectNoMore(than: flags, view, "JSON")
        #expect(view.contains(#""captured_precision":"\#(flags.timestamp.rawValue)""#))
        #expect(view.contains(#""metadata_flags":{"device":"\#(flags.device.rawValue)""#))
        #expect(view.contains(#""captured_at":null"#) == (flags.timestamp == .none))
        #expect(view.contains(#""captured_at":"2026-11-21","#) == (flags.timestamp == .day))
        #expect(view.contains(#""uploaded_at":"2026-11-21","#) == (flags.timestamp != .exact))
        var cursor = EventCursor(nil)
        expectNoMore(than: flags, cursor.advance(row, parts: []).joined(), "events")
        let claim = Claim(matched: .original, row: row)
        let verification = FileVerification(digest: row.mediaHash, verdict: .claimed(by: claim, others: [claim]), allowance: nil)
        expectNoMore(than: flags, try text(VerificationBody(verification, log: nil, publicURL: publicURL)), "verify-hash")
        let pages = makePages().pages
        expectNoMore(than: flags, try pages.html(pages.file(FileResult(verification), .english), .english), "file page")
        let record = PublicRecord(
            StoredRecord(
                row: row, model: HashOnlySamples.model, isDevelopment: false, signedAt: nil, issuer: nil, claimingDevices: 1,
                isReassessed: false, media: [:]),
            log: nil, finished: [], media: [:])
        for language in Language.allCases {
            expectNoMore(than: flags, try pages.html(pages.record(record, similar: nil, language), language), "page")
        }
        expectNoMore(than: flags, pages.title(of: record, .english), "title")
    }

    @Test("is all that there is for its owner", arguments: MetadataFlags.all)
    func owner(flags: MetadataFlags) throws {
        let row = try Self.row(sharing: flags)
        let links = MediaLinks(key: [UInt8](repeating: 7, count: 32))
        let view = try text(CaptureView(row, isOwner: true, log: nil, links: links, publicURL: publicURL, at: now))
        for said in [#""uploaded_at":"2026-11-21T06:00:00.000Z""#, "iPhone 15 Pro", Self.counter] { #expect(view.contains(said)) }
        #expect(view.contains("45.764043") == (flags.location == .precise))
    }
}
