import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

extension SystemTests {
    @Suite("Stored media that are read again")
    struct StorageScrubs {
        /// Makes the capture due for a scrub; `upload-sync` scrubs at start.
        private func scrub(_ id: String) async throws {
            let stack = try LocalStack.required()
            let past = "now() - interval '31 days'"
            _ = try await stack.sql("UPDATE sync_jobs SET synced_at = \(past), scrubbed_at = \(past) WHERE capture_id = '\(id)'")
            try await stack.control("restart", "upload-sync")
            try await eventually("it was read again") {
                try await stack.sql("SELECT scrubbed_at > now() - interval '30 days' FROM sync_jobs WHERE capture_id = '\(id)'") == ["t"]
            }
        }

        @Test("are reported where they are gone or changed, and again once they are whole", .timeLimit(.minutes(6)))
        func damage() async throws {
            let stack = try LocalStack.required()
            let storage = try stack.storage()
            var device = try await TestClient.current().device()
            let id = try await FaultCapture(&device).accepted().id
            try await stack.expectWhole([id], of: device)
            let rows =
                "SELECT name || ' ' || problem || ' ' || (mended_at IS NOT NULL) FROM media_damage WHERE capture_id = '\(id)' ORDER BY name"
            try await scrub(id)
            #expect(try await stack.sql(rows).isEmpty)

            let thumbnail = try #require(
                try await stack.sql("SELECT object_key FROM media_objects WHERE capture_id = '\(id)' AND name = 'thumbnail.jpg'").first)
            let kept = try await storage.getBytes(thumbnail, limit: 1 << 20)
            try await storage.delete([thumbnail])
            let original = try await storage.swap("captures/\(id)/original.jpg")
            try await scrub(id)
            // A capture counts as scrubbed while it is looked at.
            try await eventually("the damage is noted") {
                try await stack.sql(rows) == ["original.jpg digest_mismatch false", "thumbnail.jpg missing false"]
            }
            await #expect("the command tells, and ends with 1") {
                try await stack.rial(["admin", "damage"])
            } throws: { error in
                let output = (error as? LocalStack.CommandFailed)?.output ?? ""
                return output.contains(id) && output.contains("digest_mismatch") && output.contains(thumbnail)
            }
            // Measured three times a minute.
            try await eventually(within: .seconds(60), "it shows in the metrics") {
                try await stack.admin("upload-sync", "/metrics").text.contains("rial_media_damaged 2")
            }

            try await storage.put(thumbnail, bytes: kept, contentType: "image/jpeg")
            try await storage.put("captures/\(id)/original.jpg", bytes: original, contentType: "image/jpeg")
            try await scrub(id)
            try await eventually("it is noted as mended") {
                try await stack.sql(rows) == ["original.jpg digest_mismatch true", "thumbnail.jpg missing true"]
            }
            #expect(try await !stack.rial(["admin", "damage"]).contains(id))
            #expect(try await stack.rial(["admin", "damage", "--all"]).contains(id))
        }
    }
}
