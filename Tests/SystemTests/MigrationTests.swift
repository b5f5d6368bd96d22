import CaptureProtocol
import Crypto
import Foundation
import NIOCore
import SimulatedDevice
import TestSupport
import Testing

/// Starts a stack of this version with the data of the last version.
@Suite(
    "A database of the version before", .serialized,
    .enabled(if: LocalStack.isAvailable, "the services or the local stack's tools are not built"), .migrated)
struct MigrationTests {
    static let earlier = EarlierVersion(name: "dump-0008")

    /// The differences of two responses. Additional fields in the new one are allowed.
    private static func differences(_ old: Any, _ new: Any?, _ path: String) -> [String] {
        if let old = old as? [String: Any] {
            guard let new = new as? [String: Any] else { return ["\(path) is gone"] }
            return old.keys.sorted().flatMap { differences(old[$0] ?? NSNull(), new[$0], "\(path).\($0)") }
        }
        guard let new, (old as? NSObject) == (new as? NSObject) else { return ["\(path): \(old) is now \(new ?? "gone")"] }
        return []
    }

    @Test("keeps every capture readable, as it was: by API, page and short address", .timeLimit(.minutes(5)))
    func readable() async throws {
        let client = try TestClient.current()
        let captures = try Self.earlier.captures()
        #expect(captures.count == 11)
        for (name, old) in captures.sorted(by: { $0.key < $1.key }) where name != "waiting" {
            let id = try #require(old["id"] as? String)
            let answer = try await client.show(id)
            #expect(answer.status == 200)
            #expect(Self.differences(old, answer.data, name) == [])
            for path in ["/verify/\(id)", "/v/\(try #require(old["short_id"] as? String))"] {
                var page = try await client.send("GET", path)
                if let location = page.headers["location"] { page = try await client.send("GET", location.replacing(client.url, with: "")) }
                #expect(page.status == 200, "\(name) \(path)")
                guard let level = (old["confidence_level"] as? String)?.uppercased() else { continue }
                #expect(String(decoding: page.body, as: UTF8.self).contains(level), "\(name) \(path)")
            }
        }
        let numbers = try await LocalStack.required().sql("SELECT count(*), count(DISTINCT version) FROM rial_migrations WHERE version > 8")
        #expect(numbers.first?.hasPrefix("0|") == false)
    }

    @Test("keeps the method that measured each record")
    func methods() async throws {
        let client = try TestClient.current()
        for (name, old) in try Self.earlier.captures() where old["status"] as? String == "complete" {
            let answer = try await client.show(try #require(old["id"] as? String))
            #expect(answer.evidence("depth_analysis.method") == "relief-1", "\(name)")
            #expect(answer.evidence("algorithm_versions.depth") == "relief-1", "\(name)")
        }
    }

    @Test("completes captures that were accepted before and not yet analysed", .timeLimit(.minutes(5)))
    func waiting() async throws {
        let stack = try LocalStack.required()
        let id = try Self.earlier.id("waiting")
        let answer = try await TestClient.current().settled(id, within: .seconds(90))
        #expect(answer.data["confidence_level"] as? String == "high")
        #expect(try await stack.sql("SELECT count(*) FROM evidence_parts WHERE capture_id = '\(id)' AND outcome = 'done'") == ["3"])
    }

    @Test("still accepts captures of its devices and reads by their owners", .timeLimit(.minutes(5)))
    func devices() async throws {
        let client = try TestClient.current()
        var device = try Self.earlier.device()
        let fresh = try await client.settled(client.capture(&device, CaptureParts()))
        #expect(fresh.data["confidence_level"] as? String == "high")
        let path = "/api/v1/captures/\(try Self.earlier.id("room"))"
        let signed = try device.requestHeaders(method: "GET", path: path, bodyDigest: ContentDigest(of: [UInt8]())).map {
            ($0.name, $0.value)
        }
        let own = try await client.send("GET", path, headers: signed)
        #expect((own.data["location"] as? [String: Any])?["latitude"] as? Double == 45.764043)
    }

    @Test("serves its media, and recognises its copies once their digests are computed", .timeLimit(.minutes(5)))
    func credentials() async throws {
        let stack = try LocalStack.required()
        let client = try TestClient.current()
        let id = try Self.earlier.id("photo_and_depth")
        let link = try #require(try await client.show(id).data["c2pa_media_url"] as? String)
        let copy = try await client.send("GET", String(link.dropFirst(client.url.count)))
        #expect(copy.status == 200)
        #expect(try await client.verify(copy.body, within: .seconds(60)).captureID == id)
        let room = try await client.show(try Self.earlier.id("room"))
        for field in ["media_url", "c2pa_media_url", "c2pa_manifest_url", "depth_visualization_url", "thumbnail_url"] {
            let url = try #require(room.data[field] as? String, "\(field)")
            #expect(try await client.send("GET", String(url.dropFirst(client.url.count))).status == 200, "\(field)")
        }
        try await eventually(within: .seconds(60), "the digests of old copies are there") {
            try await stack.sql("SELECT count(*) FROM content_credentials WHERE manifest_sha256 IS NULL OR leaf_sha256 IS NULL") == ["0"]
        }
        // A file whose digest is unknown: only its manifest can identify it.
        let unknown = "UPDATE media_objects SET sha256 = sha256(sha256) WHERE capture_id = '\(id)' AND name = 'c2pa.jpg'"
        _ = try await stack.sql(unknown)
        let answer = try await client.verify(copy.body, within: .seconds(60))
        #expect(answer.verdict == "verified" && answer.matched == "c2pa_copy" && answer.captureID == id, "\(answer.json)")
        #expect(answer.data["confidence_level"] as? String == "high")
    }

    @Test("is migrated once: starting again changes nothing")
    func again() async throws {
        let stack = try LocalStack.required()
        let before = try await stack.sql("SELECT version, applied_at FROM rial_migrations ORDER BY version")
        _ = try await stack.rial(["admin", "migrate"])
        #expect(try await stack.sql("SELECT version, applied_at FROM rial_migrations ORDER BY version") == before)
    }

    @Test("on the schema of the version after this one services run and start, until it takes away what they need", .timeLimit(.minutes(5)))
    func newerSchema() async throws {
        let (stack, client) = (try LocalStack.required(), try TestClient.current())
        try await Self.onSchemaAfterThis(stack) { version in
            var device = try await client.device()
            let running = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(running.data["confidence_level"] as? String == "high")
            #expect(try await stack.rial(["admin", "migrate"]).contains("nothing to migrate"))
            for service in LocalStack.services { try await stack.control("restart", service) }
            let started = try await client.settled(client.capture(&device, CaptureParts()))
            #expect(started.data["confidence_level"] as? String == "high")

            _ = try await stack.sql("UPDATE rial_migrations SET needs = version WHERE version = \(version)")
            let refusal = await #expect(throws: LocalStack.CommandFailed.self) { try await stack.rial(["admin", "migrate"]) }
            #expect(refusal?.output.contains("needs programs that know migration \(version)") == true)
        }
        #expect(try await stack.rial(["admin", "migrate"]).contains("nothing to migrate"), "the other tests find the schema as it was")
    }

    /// Migrates the stack's database by a migration of a later version, which is undone after the body.
    private static func onSchemaAfterThis(_ stack: LocalStack, _ body: (_ version: Int) async throws -> Void) async throws {
        let newest = try #require(Int(try await stack.sql("SELECT max(version) FROM rial_migrations").first ?? ""))
        _ = try await stack.sql(
            """
            ALTER TABLE captures ADD COLUMN later text DEFAULT 'x'; ALTER TABLE devices ADD COLUMN later int; CREATE TABLE later (id int);
            INSERT INTO rial_migrations (version, name, sha256, needs) VALUES (\(newest + 1), 'later', sha256(''), \(newest));
            """)
        var failure: (any Error)?
        do { try await body(newest + 1) } catch { failure = error }
        _ = try await stack.sql(
            """
            DELETE FROM rial_migrations WHERE version = \(newest + 1);
            DROP TABLE later; ALTER TABLE devices DROP COLUMN later; ALTER TABLE captures DROP COLUMN later;
            """)
        if let failure { throw failure }
    }
}

extension Trait where Self == LocalStackTrait {
    static var migrated: Self {
        var trait = localStack(
            "migrated",
            [
                "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0", "RIAL_LIMIT_CAPTURES_PER_HOUR": "0", "RIAL_ANNOUNCE_AGAIN_SECONDS": "2",
                "RIAL_C2PA_OWN_ANCHORS": MigrationTests.earlier.anchors.path,
            ])
        trait.prepare = { try await MigrationTests.earlier.restore(to: $0) }
        return trait
    }
}
