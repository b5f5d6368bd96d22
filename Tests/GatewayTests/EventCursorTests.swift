import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Gateway

@Suite("Event cursor")
struct EventCursorTests {
    @Test("a new reader first learns that the capture is being processed")
    func first() throws {
        var cursor = EventCursor(nil)
        let events = cursor.advance(try Self.row("processing"), parts: []).map(Event.init)
        #expect(events.map(\.name) == ["status"])
        #expect(events.first?.data == #"{"status":"processing"}"#)
    }

    @Test("nothing is told twice")
    func once() throws {
        var cursor = EventCursor(nil)
        let parts = [try Self.part("attestation"), try Self.part("media")]
        #expect(cursor.advance(try Self.row("processing"), parts: parts).count == 3)
        #expect(cursor.advance(try Self.row("processing"), parts: parts).isEmpty)
    }

    @Test("checks come as their parts do, the final status last")
    func order() throws {
        var cursor = EventCursor(nil)
        var events = cursor.advance(try Self.row("processing"), parts: [try Self.part("media")])
        events += cursor.advance(try Self.row("processing"), parts: [try Self.part("media"), try Self.part("attestation")])
        events += cursor.advance(try Self.row("failed"), parts: [try Self.part("media"), try Self.part("attestation")])
        let read = events.map(Event.init)
        #expect(read.map(\.name) == ["status", "check", "check", "status"])
        #expect(read[1].data == #"{"name":"media","status":"pass"}"#)
        #expect(read[2].data == #"{"name":"hardware_attestation","status":"pass"}"#)
        #expect(read[3].data == #"{"status":"failed"}"#)
    }

    @Test("a reader who was told that a capture failed learns that it was repaired, once")
    func repaired() throws {
        var cursor = EventCursor(nil)
        let failed = try #require(cursor.advance(try Self.row("failed"), parts: []).map(Event.init).last)
        #expect(failed.data == #"{"status":"failed"}"#)
        var returned = EventCursor(failed.id)
        #expect(returned.advance(try Self.row("failed"), parts: []).isEmpty)
        let complete = try Self.row("complete", evidence: try Self.evidence())
        let events = returned.advance(complete, parts: []).map(Event.init)
        #expect(events.map(\.name) == ["evidence", "status"])
        #expect(events.last?.data == #"{"confidence_level":"high","status":"complete"}"#)
        var again = EventCursor(events.last?.id)
        #expect(again.advance(complete, parts: []).isEmpty)
    }

    @Test("a withdrawal is the last that is told, without a word of the content")
    func withdrawn() throws {
        var cursor = EventCursor(nil)
        _ = cursor.advance(try Self.row("processing"), parts: [try Self.part("media")])
        let last = Event(try #require(cursor.withdrawn()))
        #expect(last.name == "status" && last.data == #"{"status":"withdrawn"}"#)
    }

    @Test("a reader who comes late gets everything at once")
    func late() throws {
        var cursor = EventCursor(nil)
        let events = cursor.advance(try Self.row("failed"), parts: [try Self.part("media")]).map(Event.init)
        #expect(events.map(\.name) == ["status", "check", "status"])
    }

    @Test("a reader who returns with any event's id gets exactly the rest, whatever came in what order")
    func replay() throws {
        let parts = [try Self.part("depth"), try Self.attestationOfVideo(), try Self.part("media")]
        let row = try Self.row("failed")
        var whole = EventCursor(nil)
        let all = whole.advance(row, parts: parts).map(Event.init)
        #expect(all.map(\.data).contains(#"{"name":"hash_chain","status":"fail"}"#))
        for (index, event) in all.enumerated() {
            var returned = EventCursor(event.id)
            // Another instance may return the parts in another order.
            let rest = returned.advance(row, parts: parts.reversed()).map(Event.init)
            #expect(Set(rest.map(\.data)) == Set(all[(index + 1)...].map(\.data)), "after event \(index)")
        }
    }

    @Test("each event is an id, a name, one line of data and an empty line")
    func format() throws {
        var cursor = EventCursor(nil)
        for event in cursor.advance(try Self.row("failed"), parts: [try Self.part("media")]) {
            let lines = event.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 5 && lines[3].isEmpty && lines[4].isEmpty)
            #expect(lines[0].hasPrefix("id: ") && lines[1].hasPrefix("event: ") && lines[2].hasPrefix("data: "))
        }
    }

    @Test(
        "an id that is not ours replays from the start",
        arguments: [
            "", "0", "…", "\n\nevent: evil", String(repeating: "final", count: 10_000), "FINAL", ".....",
        ])
    func foreign(id: String) throws {
        var cursor = EventCursor(id)
        #expect(cursor.advance(try Self.row("failed"), parts: []).count == 2)
    }

    @Test("a reader who has seen all gets nothing")
    func nothingLeft() throws {
        var cursor = EventCursor("attestation.depth.failed.media.processing")
        #expect(cursor.advance(try Self.row("failed"), parts: [try Self.part("media")]).isEmpty)
    }

    @Test("a reader who lost the stream between evidence and final status still gets the status")
    func betweenEvidenceAndStatus() throws {
        var cursor = EventCursor(nil)
        let row = try Self.row("complete", evidence: try Self.evidence())
        let events = cursor.advance(row, parts: []).map(Event.init)
        #expect(events.map(\.name) == ["status", "evidence", "status"])
        let evidence = try #require(events.first { $0.name == "evidence" })
        var returned = EventCursor(evidence.id)
        let rest = returned.advance(row, parts: []).map(Event.init)
        #expect(rest.map(\.name) == ["status"])
    }

    @Test("a check that a service gave up on is told again once it is done")
    func givenUpThenDone() throws {
        var cursor = EventCursor(nil)
        let error = try #require(PartRow(makeRow(["part": "media", "outcome": "error", "result": nil])))
        _ = cursor.advance(try Self.row("processing"), parts: [error])
        let events = cursor.advance(try Self.row("processing"), parts: [try Self.part("media")]).map(Event.init)
        #expect(events.map(\.name) == ["check"])
    }

    @Test(
        "depth is told with the signature's part, by the rule of the evidence",
        arguments: [
            ("photo+depth+metadata", true, true, "pass"), ("photo", true, true, "inconclusive"), ("photo+depth", true, true, "pass"),
            ("photo+depth", true, false, "inconclusive"), ("photo+depth+metadata", false, true, "inconclusive"),
        ])
    func depth(binding: String, hasLiDAR: Bool, hasSensorShape: Bool, status: String) throws {
        let depth = try Self.realDepth(hasSensorShape: hasSensorShape)
        let attestation = try Self.part("attestation", binding: binding, hasLiDAR: hasLiDAR)
        var cursor = EventCursor(nil)
        #expect(cursor.advance(try Self.row("processing"), parts: [depth]).map(Event.init).map(\.name) == ["status"])
        let events = cursor.advance(try Self.row("processing"), parts: [depth, attestation]).map(Event.init)
        let told = #"{"name":"depth_analysis","status":"\#(status)"}"#
        #expect(events.map(\.data) == [told, #"{"name":"hardware_attestation","status":"pass"}"#])
        #expect(cursor.advance(try Self.row("processing"), parts: [depth, attestation]).isEmpty)
        var returned = EventCursor(events.first?.id)
        #expect(returned.advance(try Self.row("processing"), parts: [attestation, depth]).map(Event.init).map(\.data) == [events[1].data])
    }

    @Test("depth of a capture that failed is told without the signature's part, and of a complete one as in the evidence")
    func finalDepth() throws {
        let depth = try Self.realDepth(hasSensorShape: true)
        var failed = EventCursor(nil)
        #expect(failed.advance(try Self.row("failed"), parts: [depth]).map(Event.init).map(\.name) == ["status", "check", "status"])
        let evidence = try Self.evidence(depth: .inconclusive)
        var complete = EventCursor(nil)
        let events = complete.advance(try Self.row("complete", evidence: evidence), parts: [depth]).map(Event.init)
        #expect(events.map(\.data).contains(#"{"name":"depth_analysis","status":"inconclusive"}"#))
    }

    @Test("the evidence that is streamed has no counter")
    func publicForm() throws {
        var cursor = EventCursor(nil)
        let events = cursor.advance(try Self.row("complete", evidence: try Self.evidence()), parts: []).map(Event.init)
        let evidence = try #require(events.first { $0.name == "evidence" })
        #expect(!evidence.data.contains("\"counter\""))
        #expect(events.last?.data == #"{"confidence_level":"high","status":"complete"}"#)
    }

    @Test("where the verdict stands in the log is told once, when that is known, and the way there never")
    func log() throws {
        var cursor = EventCursor(nil)
        _ = cursor.advance(try Self.row("complete"), parts: [])
        #expect(cursor.advance(LogStatus(status: .pending)) == nil)
        let settled = LogStatus(
            status: .witnessed, origin: "rial.test/log/2026", index: 3, treeSize: 4, witnessedAt: now, standing: .stands, isSettled: true)
        let event = try #require(cursor.advance(settled).map(Event.init))
        #expect(event.name == "log")
        #expect(
            event.data
                == #"{"index":3,"origin":"rial.test/log/2026","standing":"stands","status":"witnessed","tree_size":4,"#
                + #""witnessed_at":"\#(Timestamp.format(now))"}"#)
        #expect(cursor.advance(settled) == nil)
        var returned = EventCursor(event.id)
        #expect(returned.advance(settled) == nil)
        #expect(returned.advance(try Self.row("complete"), parts: []).isEmpty)
    }

    private struct Event {
        let id: String
        let name: String
        let data: String

        init(_ text: String) {
            let fields = text.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }
            let named = Dictionary(fields.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { first, _ in first }
            id = named["id"] ?? ""
            name = named["event"] ?? ""
            data = named["data"] ?? ""
        }
    }

    private static func realDepth(hasSensorShape: Bool) throws -> PartRow {
        let findings = DepthFindings(
            measurements: DepthMeasurements(
                depthVariance: 0.5, depthLayers: 3, edgeCoherence: 0.75, minDepth: 0.25, maxDepth: 4.5, relief: 0.625, coverage: 1,
                verdict: .real, specifiedRule: true, method: "relief-2", reason: nil, rotation: 0), preview: nil)
        return try #require(
            PartRow(
                makeRow([
                    "part": "depth", "outcome": "done", "result": String(decoding: try WireJSON.encode(findings), as: UTF8.self),
                    "depth_width": "256", "depth_height": hasSensorShape ? "192" : "256",
                ])))
    }

    private static func part(_ name: String, binding: String = "photo+depth", hasLiDAR: Bool = true) throws -> PartRow {
        let result: String =
            switch name {
            case "attestation":
                """
                {"status":"pass","level":"secure_enclave","development_attestation":false,"device_model":"iPhone 15 Pro",\
                "binding":"\(binding)","counter":7,"has_lidar":\(hasLiDAR)}
                """
            default: "{}"
            }
        return try #require(PartRow(makeRow(["part": name, "outcome": "done", "result": result])))
    }

    /// The signature's part of a video, whose hash chain failed.
    private static func attestationOfVideo() throws -> PartRow {
        let chain = HashChainEvidence(
            status: .fail, reason: .chainMismatch, version: 2, isIntact: false, isAttested: true, verifiedFrames: 0, totalFrames: 30,
            verifiedMilliseconds: 0, durationMilliseconds: 1000, breakAtFrame: 0, checkpoints: [])
        let findings = AttestationFindings(
            .sample(.pass), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false, deviceModel: "iPhone 15 Pro",
            hashChain: chain)
        let result = String(decoding: try WireJSON.encode(findings), as: UTF8.self)
        return try #require(PartRow(makeRow(["part": "attestation", "outcome": "done", "result": result])))
    }

    private static func evidence(depth: CheckStatus = .pass) throws -> String {
        let findings = AttestationFindings(
            .sample(.pass), level: .secureEnclave, environment: "production", isDevelopmentAttestation: false, deviceModel: "iPhone 15 Pro")
        let package = EvidencePackage(
            type: .photo, hardwareAttestation: HardwareAttestationEvidence(findings),
            depthAnalysis: DepthAnalysisEvidence(status: depth, measurements: nil, source: .server, reason: nil),
            metadata: MetadataEvidence(
                timestamp: MetadataCheck(.unavailable), model: MetadataCheck(.unavailable), resolution: MetadataCheck(.unavailable),
                location: MetadataCheck(.unavailable), place: nil),
            contentCredentials: ContentCredentialsEvidence(status: .unavailable, reason: nil), analysisSource: .server, mediaStored: true,
            algorithmVersions: [:], processing: ProcessingEvidence(receivedAt: now, completedAt: now))
        return String(decoding: try WireJSON.encode(package), as: UTF8.self)
    }

    static func row(
        _ status: String, of capture: CaptureID = CaptureID(), evidence: String? = nil, confidence: String = "high"
    ) throws -> CaptureRow {
        try CaptureRow(
            makeRow([
                "id": capture.description, "short_id": "abcdEFGH", "device_id": UUID().uuidString.lowercased(), "type": "photo",
                "capture_mode": "full", "status": status, "failure": status == "failed" ? "intake_missing" : nil,
                "confidence_level": status == "complete" ? confidence : nil, "media_sha256": "\\x" + String(repeating: "01", count: 32),
                "captured_at": "2026-11-21 07:00:00+00", "captured_precision": "exact", "metadata_flags": nil,
                "uploaded_at": "2026-11-21 07:00:01+00", "completed_at": nil, "withdrawn_at": nil, "evidence": evidence, "location": nil,
                "detection": nil, "media_names": "{public.jpg,thumbnail.jpg}", "depth_frames_size": nil, "is_revoked": "f",
            ]))
    }
}
