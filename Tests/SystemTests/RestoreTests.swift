import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

/// Restores a dump into a new cluster, as docs/operations.md says, with a stack of its own.
@Suite(
    "A host that is set up anew from backups", .serialized,
    .enabled(if: LocalStack.isAvailable, "the services or the local stack's tools are not built"),
    .localStack(
        "restore",
        [
            "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0", "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "0", "RIAL_LIMIT_CAPTURES_PER_HOUR": "0",
            "RIAL_ANNOUNCE_AGAIN_SECONDS": "2",
        ]))
struct RestoreTests {
    /// What `rial admin backup-check --json` has said.
    private struct Report {
        /// Ids by kind of finding.
        var found: [String: [String]] = [:]
        /// Keys by id.
        var keys: [String: [String]] = [:]
        var isNewer: [String: Bool] = [:]
        var summary: [String: Any] = [:]
        let isWhole: Bool

        init(_ stack: LocalStack) async throws {
            let output: String
            do {
                output = try await stack.rial(["admin", "backup-check", "--json"])
                isWhole = true
            } catch let error as LocalStack.CommandFailed {
                output = error.output
                isWhole = false
            }
            for line in output.split(separator: "\n") {
                let json = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(output)")
                let kind = try #require(json["kind"] as? String)
                guard kind != "summary" else {
                    summary = json
                    continue
                }
                let id = json["id"] as? String ?? ""
                found[kind, default: []].append(id)
                keys[id, default: []] += try #require(json["objects"] as? [[String: Any]]).compactMap { $0["key"] as? String }
                isNewer[id] = json["newer_than_database"] as? Bool
            }
            #expect(summary["kind"] as? String == "summary", "\(output)")
        }
    }

    @Test("serves every capture that the backup had, and names what only database or bucket have", .timeLimit(.minutes(6)))
    func restored() async throws {
        let stack = try LocalStack.required()
        let client = try TestClient.current()
        var device = try await client.device()
        func send() async throws -> String { try await FaultCapture(&device).accepted().id }
        let (kept, harmed, forgotten, erased) = (try await send(), try await send(), try await send(), try await send())
        for id in [kept, harmed, forgotten, erased] { _ = try await client.settled(id) }
        _ = try await stack.rial(["admin", "withdraw", erased, "--reason", "request 1"])
        try await stack.expectEmpty(erased)
        _ = try await stack.sql("UPDATE withdrawals SET erased_at = now(), erase_next_at = now() + interval '1 day'")
        let before = try await Report(stack)
        #expect(before.isWhole && before.found.isEmpty, "\(before.found)")

        let dump = stack.failPoints.appendingPathComponent("rial.dump").path
        try await stack.dump(to: dump)
        var accepted: [String: Answer] = [:]
        for id in [kept, harmed] { accepted[id] = try await client.show(id) }
        let lost = [try await send(), try await send()].sorted()
        for id in lost { _ = try await client.settled(id) }
        _ = try await stack.rial(["admin", "withdraw", forgotten, "--reason", "request 2"])
        try await stack.expectEmpty(forgotten)

        try await stack.without(LocalStack.services + ["monitor"], restarting: LocalStack.services.filter { $0 != "transparency-log" }) {
            try await stack.restoreIntoNewCluster(dump)
            let thumbnail = try #require(
                try await stack.sql("SELECT object_key FROM media_objects WHERE capture_id = '\(harmed)' AND name = 'thumbnail.jpg'").first)
            let storage = try stack.storage()
            let taken = try await storage.getBytes(thumbnail, limit: 1 << 20)
            try await storage.delete([thumbnail])
            try await storage.put("captures/\(erased)/original.jpg", bytes: [1], contentType: "image/jpeg")
            let report = try await Report(stack)
            #expect(!report.isWhole)
            #expect(report.found["missing"] == [harmed] && report.keys[harmed] == [thumbnail])
            #expect(report.found["lost_capture"] == lost && lost.allSatisfy { report.isNewer[$0] == true }, "\(report.found)")
            for id in lost { #expect(report.keys[id]?.contains("captures/\(id)/original.jpg") == true) }
            #expect(report.found["gone"] == [forgotten], "withdrawn since: its rows are back")
            #expect(report.found["withdrawn_again"] == [erased])
            #expect(Set(report.found.keys) == ["missing", "lost_capture", "gone", "withdrawn_again"], "\(report.found)")
            #expect(report.summary["captures"] as? Int == 4)
            try await storage.put(thumbnail, bytes: taken, contentType: "image/jpeg")
            for id in [forgotten, erased] { _ = try await stack.rial(["admin", "withdraw", id, "--reason", "restored"]) }
        }

        for id in [kept, harmed] {
            let answer = try await client.show(id)
            #expect(answer.status == 200 && answer.data["confidence_level"] as? String == "high")
            #expect(answer.data["completed_at"] as? String == accepted[id]?.data["completed_at"] as? String)
            try await stack.expectMedia(id, "restored")
            try await client.expectServed(id, stack)
        }
        try await stack.expectEmpty(erased)
        let fresh = try await send()
        _ = try await client.settled(fresh)
        let last = try await Report(stack)
        #expect(last.found == ["lost_capture": lost], "\(last.found)")
    }
}

extension LocalStack {
    /// Waits until the bucket has nothing of the capture.
    fileprivate func expectEmpty(_ id: String) async throws {
        let storage = try storage()
        try await eventually("nothing of \(id) is stored") { try await storage.list(prefix: "captures/\(id)/").objects.isEmpty }
    }

    fileprivate func dump(to path: String) async throws {
        _ = try await Self.run("/usr/bin/env", ["pg_dump", "-Fc", "-f", path, addresses["RIAL_DATABASE_URL"] ?? ""], [:])
    }

    /// Runs `work` while services are stopped, and starts some of them again.
    fileprivate func without(_ services: [String], restarting some: [String], _ work: () async throws -> Void) async throws {
        for service in services { try await control("stop", service) }
        try await work()
        for service in some { try await control("start", service) }
    }

    /// As docs/operations.md says, in a cluster that has neither roles nor a database.
    fileprivate func restoreIntoNewCluster(_ dump: String) async throws {
        try await control("stop", "postgres")
        _ = try await Self.run("/usr/bin/env", ["rm", "-rf", try databaseFolder()], [:])
        try await control("start", "postgres")
        let url = try #require(addresses["RIAL_DATABASE_URL"])
        let passwords = failPoints.appendingPathComponent("passwords")
        try FileManager.default.createDirectory(at: passwords, withIntermediateDirectories: true)
        for service in Self.services {
            let secret = try String(contentsOf: folder.appendingPathComponent("keys/role-\(service)"), encoding: .utf8)
            let role = "rial_" + service.replacing("-", with: "_")
            try secret.write(to: passwords.appendingPathComponent(role), atomically: true, encoding: .utf8)
        }
        _ = try await Self.run("/usr/bin/env", ["createdb", "--maintenance-db", url.dropLast("rial".count) + "postgres", "rial"], [:])
        _ = try await rial(["admin", "migrate", "--roles-only"])
        _ = try await Self.run("/usr/bin/env", ["pg_restore", "--exit-on-error", "--single-transaction", "-d", url, dump], [:])
        let program = SharedData.projectRoot.appendingPathComponent(".build/debug/rial").path
        let settings = addresses.merging(["RIAL_ROLE_PASSWORDS_DIR": passwords.path]) { _, new in new }
        let said = try await Self.run(program, ["admin", "migrate"], settings)
        #expect(said.contains("nothing to migrate"), "\(said)")
    }
}

extension TestClient {
    /// Expects that what the links of the capture lead to has the digests of its rows.
    fileprivate func expectServed(_ id: String, _ stack: LocalStack) async throws {
        let record = try await show(id)
        for (field, name) in [
            ("thumbnail_url", "thumbnail.jpg"), ("c2pa_media_url", "c2pa.jpg"), ("depth_visualization_url", "depth-preview.png"),
        ] {
            let link = try #require(record.data[field] as? String)
            let answer = try await send("GET", String(link.dropFirst(url.count)))
            let row = try await stack.sql(
                "SELECT encode(sha256, 'hex') FROM media_objects WHERE capture_id = '\(id)' AND name = '\(name)'")
            #expect(answer.status == 200 && row == [ContentDigest(of: answer.body).hex], "\(field)")
        }
    }
}
