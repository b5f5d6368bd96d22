import CaptureProtocol
import Crypto
import Foundation
import Messaging
import Models
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

/// A text that is searched for many others, byte by byte: `String.contains` compares characters, which takes seconds in a whole database.
private struct SearchedText {
    private let text: ContiguousArray<CChar>

    init(_ text: String) { self.text = text.utf8CString }

    func contains(_ needle: String) -> Bool { place(of: needle, from: 0) != nil }

    /// The lines that contain it, each once.
    func lines(with needle: String) -> [String] {
        let newline = CChar(0x0A)
        var lines: [String] = []
        var start = 0
        while let found = place(of: needle, from: start) {
            let first = (text[..<found].lastIndex(of: newline) ?? -1) + 1
            let end = text[found...].firstIndex(of: newline) ?? text.count - 1
            lines.append(String(decoding: text[first..<end].map(UInt8.init(bitPattern:)), as: UTF8.self))
            start = end
        }
        return lines
    }

    private func place(of needle: String, from start: Int) -> Int? {
        text.withUnsafeBufferPointer { text in
            guard start < text.count, let base = text.baseAddress else { return nil }
            return strstr(base + start, needle).map { UnsafePointer($0) - base }
        }
    }
}

/// What must be nowhere once a capture is withdrawn.
struct ErasedFacts {
    /// Found nowhere.
    let needles: [String]
    /// Found nowhere beside the capture or its device: something else may have happened in the same millisecond.
    let times: [String]
    /// The device's id.
    let sender: String
}

/// A capture whose every fact is its own, so that a search for any of them finds it and nothing else.
struct TellingCapture: Sendable {
    let parts: CaptureParts
    let assertion: [UInt8]
    /// Latitude and longitude.
    private let place: [String]
    /// When it was captured, as JSON and PostgreSQL write it. Something else may have happened in the same millisecond.
    private let times: [String]
    /// The device's id.
    private let sender: String
    /// A member of the metadata that the server does not know.
    private let marker: String
    /// And other values of which neither hex nor base64 may be anywhere; the photo's digest is first.
    private var digests: [[UInt8]]

    /// - Parameter other: a capture with the same photo.
    init(_ device: inout SimulatedDevice, photoOf other: TellingCapture? = nil) throws {
        marker = "marker-\(UUID().uuidString.lowercased())"
        let (latitude, longitude) = (45.7 + Double.random(in: 1...9).rounded(6) / 1000, 4.8 + Double.random(in: 1...9).rounded(6) / 1000)
        let time = Timestamp.format(Date().addingTimeInterval(-Double.random(in: 1...60)))
        var extra: [String: Any] = ["note": marker, "captured_at": time, "location": ["latitude": latitude, "longitude": longitude]]
        if let other { extra["photo_hash"] = Data(other.parts.digests.photo.bytes).base64EncodedString() }
        var parts = try CaptureParts(extra: extra)
        if let other { parts.photo = other.parts.photo }
        // The time in the header of a gzip file: the maps of one scene would be equal.
        for index in 4..<8 { parts.depth[index] = UInt8.random(in: 0...255) }
        let own = parts.digests
        assertion = try device.captureAssertion(photoDigest: own.photo, depthDigest: own.depth, metadataDigest: own.metadata)
        self.parts = parts
        place = ["\(latitude)", "\(longitude)"]
        sender = try #require(device.deviceID)
        // PostgreSQL writes no zeros at a fraction's end.
        times = [time, time.replacing("T", with: " ").replacing(/\.?0*Z$/, with: "")]
        digests = [own.photo.bytes, own.depth.bytes, own.metadata.bytes, Array(SHA256.hash(data: assertion))]
    }

    var form: [FormPart] { parts.form(assertion: assertion) }

    /// Adds the digests of what was published of it, but of pictures, which photos of one scene share.
    mutating func addPublished(of id: String, in stack: LocalStack) async throws {
        let rows = try await stack.sql(
            """
            SELECT encode(sha256, 'hex') FROM media_objects WHERE capture_id = '\(id)' AND name IN ('c2pa.jpg', 'manifest.c2pa', 'og.jpg')
            """)
        #expect(rows.count == 3)
        for hex in rows { digests.append(try #require(Hex.decode(hex))) }
    }

    /// Adds what would open its leaves: salts, statements and evidence, and digests of both.
    mutating func addOpenings(of id: String, in stack: LocalStack) async throws {
        let openings = try await stack.bytes(
            """
            SELECT encode(opening, 'hex') FROM statements, unnest(ARRAY[salt, raw_salt, statement, evidence, sha256(statement),
                sha256(evidence), decode(convert_from(statement, 'UTF8')::jsonb ->> 'raw', 'hex')]) AS opening
            WHERE capture_id = '\(id)'
            """)
        #expect(openings.count >= 7)
        digests += openings
    }

    /// The facts, each in all forms in which a table or a key could hold it.
    /// - Parameter sharesPhoto: another capture has the same photo, whose digest stays.
    private func facts(sharesPhoto: Bool = false) -> [[String]] {
        var facts = place.map { [$0] }
        for digest in sharesPhoto ? Array(digests.dropFirst()) : digests {
            facts.append([digest.lowerHex, Data(digest).base64EncodedString()])
        }
        // Of the assertion a part of its signature: what follows is the same for all devices, but for the counter.
        let parts: [(plain: [String], bytes: [UInt8])] = [
            ([marker], Array(marker.utf8)), ([], Array(assertion.dropFirst(20).prefix(40))),
        ]
        for (plain, bytes) in parts {
            // In the base64 of something longer it may begin at any of three places; the ends depend on what is around it.
            let within = (0..<3).map {
                String(Data([UInt8](repeating: 0, count: $0) + bytes).base64EncodedString().dropFirst(4).dropLast(4))
            }
            facts.append(plain + [bytes.lowerHex] + within)
        }
        return facts
    }

    fileprivate func erasedFacts(sharesPhoto: Bool) -> ErasedFacts {
        ErasedFacts(needles: facts(sharesPhoto: sharesPhoto).flatMap { $0 }, times: times, sender: sender)
    }

    /// Expects that a dump of a database that has the capture has each of its facts, in one form or another: the search for them works.
    fileprivate func expectFound(_ id: String, in dump: SearchedText) {
        for forms in facts() { #expect(forms.contains { dump.contains($0) }, "no search would find \(forms)") }
        let told = times.flatMap { dump.lines(with: $0) }
        #expect(told.contains { $0.contains(id) }, "no search would find \(times)")
    }
}

extension Double {
    fileprivate func rounded(_ digits: Int) -> Double { (self * pow(10, Double(digits))).rounded() / pow(10, Double(digits)) }
}

extension TestClient {
    /// A signed request of a device to withdraw.
    func withdraw(_ id: String, _ device: inout SimulatedDevice) async throws -> Answer {
        try await signedRead(&device, "\(Self.captures)/\(id)", method: "DELETE")
    }

    /// Waits until the capture is accepted, and returns its id.
    func accepted(_ capture: TellingCapture, _ device: inout SimulatedDevice) async throws -> String {
        let answer = try await submit(&device, capture.form)
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.data["capture_id"] as? String)
    }
}

extension LocalStack {
    /// The whole database as text, with times in UTC.
    func dump() async throws -> String {
        try await Self.run(
            "/usr/bin/env", ["PGTZ=UTC", "pg_dump", "--data-only", "--inserts", "--no-owner", addresses["RIAL_DATABASE_URL"] ?? ""], [:])
    }

    /// Waits until every service has handled every record of the capture, those that were announced again included.
    func expectHandled(_ id: String) async throws {
        let consumers: [(topic: Topic, services: [String])] = [
            (.captureReceived, ["attestation_verifier", "depth_analyzer", "upload_sync"]),
            (.videoReceived, ["attestation_verifier", "depth_analyzer", "upload_sync"]), (.attestationAppraised, ["evidence_assembler"]),
            (.depthAnalyzed, ["evidence_assembler"]), (.mediaSynced, ["evidence_assembler"]), (.captureWithdrawn, ["upload_sync"]),
        ]
        try await eventually(within: .seconds(90), "the records of capture \(id) are handled") {
            let due = try await withThrowingTaskGroup(of: (Topic, [String]).self) { group in
                for (topic, services) in consumers {
                    group.addTask {
                        let events = Set(try await records(of: topic, key: id).compactMap { $0.header("ce_id") })
                        return (topic, services.flatMap { service in events.map { "('\(service)', '\($0)'::uuid)" } })
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            guard due[.captureWithdrawn]?.isEmpty == false else { return false }
            let services = Set(consumers.flatMap(\.services))
            let inboxes = services.map { "SELECT '\($0)' AS service, event_id FROM \($0)_inbox" }.joined(separator: " UNION ALL ")
            let missing = try await sql(
                """
                SELECT count(*) FROM (VALUES \(due.values.joined().joined(separator: ", "))) AS due (service, event_id)
                WHERE (service, event_id) NOT IN (SELECT service, event_id FROM (\(inboxes)) AS handled)
                """)
            return missing == ["0"]
        }
    }

    /// Expects of a complete capture, whose published digests were added, that the search for what is left of it finds each of its facts.
    func expectFound(_ id: String, _ capture: TellingCapture) async throws {
        capture.expectFound(id, in: SearchedText(try await dump()))
    }

    /// Expects that nothing of the capture is left.
    /// - Parameter sharesPhoto: another capture has the same photo.
    func expectErased(_ id: String, _ capture: TellingCapture, sharesPhoto: Bool = false, _ what: String = "") async throws {
        try await expectErased(id, capture.erasedFacts(sharesPhoto: sharesPhoto), what)
    }

    /// Expects that nothing of the capture is left: no object, nothing in the tables by the operator's own check, and none of its facts in
    /// a dump of the database or a listing of the bucket.
    func expectErased(_ id: String, _ facts: ErasedFacts, _ what: String = "") async throws {
        let storage = try storage()
        try await eventually("nothing of \(id) is stored") {
            for prefix in ["captures/\(id)/", "incoming/\(id)/"] {
                guard try await storage.list(prefix: prefix).objects.isEmpty else { return false }
                guard try await storage.unfinishedUploads(under: prefix).isEmpty else { return false }
            }
            return true
        }
        let said = try await rial(["admin", "erased", id])
        #expect(said.contains("nothing of capture \(id) is left"), "\(what): \(said)")
        let dump = SearchedText(try await dump())
        var keys: [String] = []
        for try await page in storage.pages(under: "") { keys += page.map(\.key) }
        let listing = SearchedText(keys.joined(separator: "\n"))
        #expect(dump.contains(id) && listing.contains("captures/"), "the search searches")
        #expect(!listing.contains(id), "\(what)")
        let tables = dump.lines(with: id).compactMap { $0.firstMatch(of: /INSERT INTO public\.(\w+)/)?.1 }
        #expect(Set(tables).isSubset(of: ["captures", "withdrawals", "assertion_counters"]), "\(what): \(tables)")
        for needle in facts.needles {
            if let line = dump.lines(with: needle).first {
                Issue.record("\(what): \(needle) is in the database: \(line.prefix(200))")
            }
            #expect(!listing.contains(needle), "\(what): \(needle) is in the bucket")
        }
        for line in facts.times.flatMap(dump.lines(with:)) where line.contains(id) || line.contains(facts.sender) {
            Issue.record("\(what): the time is in the database: \(line.prefix(200))")
        }
        #expect(try await sql("SELECT count(*) FROM withdrawals WHERE capture_id = '\(id)'") == ["1"], "\(what)")
    }
}
