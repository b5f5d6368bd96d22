import Foundation
import NIOCore
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

extension SystemTests {
    @Suite("Intakes and their cleanup")
    struct StorageIntake {
        private func keys(_ prefix: String) async throws -> Set<String> {
            Set(try await LocalStack.required().storage().list(prefix: prefix).objects.map(\.key))
        }

        /// Restarts `upload-sync`, which cleans up at start and then periodically.
        private func cleanUp() async throws { try await LocalStack.required().control("restart", "upload-sync") }

        /// Creates the remains of a gateway that was killed during a large upload.
        private func abandon(of device: String, hours: Int) async throws -> String {
            let stack = try LocalStack.required()
            let storage = try stack.storage(as: "gateway")
            let id = UUID().uuidString.lowercased()
            _ = try await stack.sql(
                """
                INSERT INTO intakes (id, device_id, prefix, created_at)
                VALUES ('\(id)', '\(device)', 'captures/\(id)/', now() - interval '\(hours) hours')
                """)
            try await storage.put("captures/\(id)/original.jpg", bytes: [1, 2, 3], contentType: "image/jpeg")
            let upload = storage.putStream("captures/\(id)/depth.gz", contentType: "application/octet-stream")
            try await upload.write(ByteBuffer(repeating: 1, count: S3Upload.partBytes + 1))
            return id
        }

        @Test("an abandoned upload is deleted after a day with its unfinished parts; a younger one stays", .timeLimit(.minutes(5)))
        func abandoned() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let owner = try #require(device.deviceID)
            let (old, young) = (try await abandon(of: owner, hours: 25), try await abandon(of: owner, hours: 23))
            // The media of a recorded capture are not abandoned, whatever the table says.
            let known = try await FaultCapture(&device).accepted().id
            try await stack.expectWhole([known], of: device)
            _ = try await stack.sql(
                """
                INSERT INTO intakes (id, device_id, prefix, created_at)
                VALUES ('\(known)', '\(owner)', 'captures/\(known)/', now() - interval '2 days')
                """)
            let before = try await keys("captures/\(known)/")
            #expect(before.count >= 2)
            try await cleanUp()
            let storage = try stack.storage()
            try await eventually("the old one is gone") {
                let rows = try await stack.sql("SELECT id FROM intakes WHERE id IN ('\(old)', '\(known)')")
                let uploads = try await storage.unfinishedUploads(under: "captures/\(old)/")
                let left = try await keys("captures/\(old)/")
                return rows.isEmpty && uploads.isEmpty && left.isEmpty
            }
            #expect(try await keys("captures/\(known)/") == before)
            #expect(try await keys("captures/\(young)/") == ["captures/\(young)/original.jpg"])
            #expect(try await storage.unfinishedUploads(under: "captures/\(young)/").count == 1)
            #expect(try await stack.sql("SELECT abandoned_at IS NULL FROM intakes WHERE id = '\(young)'") == ["t"])
            // Abandoned by the gateway, which could not delete it: it is deleted before a day has passed.
            _ = try await stack.sql("UPDATE intakes SET abandoned_at = now() - interval '11 minutes' WHERE id = '\(young)'")
            try await cleanUp()
            try await eventually("the other is gone") {
                let left = try await keys("captures/\(young)/")
                return try await stack.sql("SELECT id FROM intakes WHERE id = '\(young)'").isEmpty && left.isEmpty
            }
            try await stack.expectWhole([known], of: device)
        }

        @Test("one run deletes several batches of abandoned uploads", .timeLimit(.minutes(5)))
        func manyAbandoned() async throws {
            let stack = try LocalStack.required()
            let owner = try #require(try await TestClient.current().device().deviceID)
            _ = try await stack.sql(
                """
                INSERT INTO intakes (id, device_id, prefix, created_at)
                SELECT made, '\(owner)', 'captures/' || made || '/', now() - interval '25 hours'
                FROM (SELECT gen_random_uuid() AS made FROM generate_series(1, 250)) AS ids
                """)
            try await cleanUp()
            try await eventually("all are gone") { try await stack.sql("SELECT id FROM intakes WHERE device_id = '\(owner)'").isEmpty }
        }

        @Test("an upload that is refused leaves neither bytes nor row", .timeLimit(.minutes(4)))
        func refused() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let form = try CaptureParts().form(assertion: nil)
            let answer = try await TestClient.current().submit(&device, form) { headers, _ in
                for index in headers.indices where headers[index].0 == "X-Device-Signature" {
                    headers[index].1 = Data(repeating: 7, count: 64).base64EncodedString()
                }
            }
            #expect(answer.status == 401)
            let owner = try #require(device.deviceID)
            #expect(try await stack.sql("SELECT id FROM intakes WHERE device_id = '\(owner)'").isEmpty)
            #expect(try await FaultCapture(&device).accepted().status == 201)
            #expect(try await stack.sql("SELECT id FROM intakes WHERE device_id = '\(owner)'").isEmpty)
        }

        @Test(
            "a repeat brings the bytes of a capture that lost them, failed or not yet", .timeLimit(.minutes(6)), arguments: [true, false])
        func broughtAgain(failed: Bool) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let capture = try FaultCapture(&device)
            let services = ["depth-analyzer", "upload-sync"]
            let id = try await stack.without(services) {
                let id = try await capture.accepted().id
                _ = try await stack.takeIntake(of: id)
                if !failed { #expect(try await capture.accepted().status == 200) }
                return id
            }
            if failed {
                let answer = try await client.settled(id, as: "failed")
                #expect(answer.data["failure"] as? String == "intake_missing")
                #expect(try await capture.accepted().status == 200)
                #expect(try await client.settled(id).data["confidence_level"] as? String == "high")
                try await stack.expectMedia(id, "brought again")
            } else {
                // depth-analyzer may read the objects before upload-sync has restored them.
                try await stack.expectWhole([id], of: device, failedBefore: true)
            }
            // Nothing of the repeated upload is left.
            let owner = try #require(device.deviceID)
            try await eventually("the repeat is forgotten") {
                try await stack.sql("SELECT id FROM intakes WHERE device_id = '\(owner)'").isEmpty
            }
            // Other suites kill gateways, whose uploads stay in `intakes` until they are swept.
            let all = try await keys("captures/").map { String($0.prefix(9 + 36)) }
            let known = try await stack.sql("SELECT id FROM captures UNION SELECT id FROM intakes").map { "captures/\($0.lowercased())" }
            #expect(Set(all).subtracting(known).isEmpty)
        }

        @Test("an upload accepted by an earlier version is moved to its place, and its intake is deleted", .timeLimit(.minutes(6)))
        func legacy() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let services = ["attestation-verifier", "depth-analyzer", "upload-sync"]
            let id = try await stack.without(services) {
                let id = try await capture.accepted().id
                let taken = try await stack.takeIntake(of: id)
                for (key, bytes) in taken {
                    let name = key.hasSuffix("original.jpg") ? "photo" : "depth"
                    try await stack.storage().put("incoming/\(id)/\(name)", bytes: bytes, contentType: "application/octet-stream")
                }
                for (member, name) in [("photo", "photo"), ("depth", "depth")] {
                    let change = "jsonb_set(announcement, '{intake,\(member),key}', '\"incoming/\(id)/\(name)\"')"
                    _ = try await stack.sql("UPDATE captures SET announcement = \(change) WHERE id = '\(id)'")
                }
                return id
            }
            try await stack.expectWhole([id], of: device)
            #expect(try await keys("captures/\(id)/").isSuperset(of: ["captures/\(id)/original.jpg", "captures/\(id)/depth.gz"]))
            let deleted = "SELECT count(*) FROM sync_jobs WHERE capture_id = '\(id)' AND intake_deleted_at IS NOT NULL"
            #expect(try await stack.sql(deleted) == ["0"])
            _ = try await stack.sql("UPDATE captures SET completed_at = now() - interval '61 minutes' WHERE id = '\(id)'")
            _ = try await stack.sql("UPDATE sync_jobs SET synced_at = now() - interval '61 minutes' WHERE capture_id = '\(id)'")
            try await cleanUp()
            try await eventually("intake is deleted") { try await stack.sql(deleted) == ["1"] }
            #expect(try await keys("incoming/\(id)/").isEmpty)
            try await stack.expectWhole([id], of: device)
        }

        @Test("unreferenced media is deleted a day after completion", .timeLimit(.minutes(6)))
        func finished() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let ids = [try await FaultCapture(&device).accepted().id, try await FaultCapture(&device).accepted().id]
            try await stack.expectWhole(ids, of: device)
            let (swept, postponed) = (ids[0], ids[1])
            let unnamed = "captures/\(postponed)/og-\(String(repeating: "b", count: 64)).jpg"
            try await stack.storage().put(unnamed, bytes: [1], contentType: "image/jpeg")
            _ = try await stack.sql(
                "UPDATE captures SET completed_at = now() - interval '25 hours' WHERE id IN ('\(swept)', '\(postponed)')")
            _ = try await stack.sql(
                "UPDATE sync_jobs SET synced_at = now() - interval '25 hours' WHERE capture_id IN ('\(swept)', '\(postponed)')")
            try await cleanUp()
            let looked =
                "SELECT capture_id FROM sync_jobs WHERE capture_id IN ('\(swept)', '\(postponed)') AND derived_swept_at IS NOT NULL"
            // The other capture has an object that is too recent to be swept.
            try await eventually("what is unnamed was looked for") { try await stack.sql(looked) == [swept] }
            #expect(try await keys("captures/\(postponed)/").contains(unnamed))
            try await stack.expectWhole([swept, postponed], of: device)
            try await stack.storage().delete([unnamed])
        }

        @Test(
            "a failed capture's media goes after 30 days if its device is unverified, and comes with the same upload",
            .timeLimit(.minutes(6)),
            arguments: [true, false])
        func expired(isVerified: Bool) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device(.ed25519, defect: isVerified ? nil : .otherRoot)
            let capture = try FaultCapture(&device)
            let id = try await stack.without(["evidence-assembler"]) {
                let id = try await capture.accepted().id
                try await eventually("its media is kept") {
                    try await stack.sql("SELECT count(*) FROM sync_jobs WHERE capture_id = '\(id)' AND result IS NOT NULL") == ["1"]
                }
                // Repeated announcements cannot restore it.
                try await stack.storage().swap("captures/\(id)/original.jpg")
                return id
            }
            #expect(try await client.settled(id, as: "failed").data["failure"] as? String == "digest_mismatch")
            _ = try await stack.sql("UPDATE captures SET uploaded_at = now() - interval '29 days' WHERE id = '\(id)'")
            try await cleanUp()
            _ = try await stack.sql("UPDATE captures SET uploaded_at = now() - interval '31 days' WHERE id = '\(id)'")
            _ = try await stack.sql("UPDATE sync_jobs SET synced_at = now() - interval '31 days' WHERE capture_id = '\(id)'")
            let before = try await keys("captures/\(id)/")
            #expect(before.count > 4)
            try await cleanUp()
            let expiredAt = "SELECT count(*) FROM sync_jobs WHERE capture_id = '\(id)' AND media_expired_at IS NOT NULL"
            if isVerified {
                // Once another capture's due media are processed, this one's turn has passed.
                var other = try await client.device(.ed25519, defect: .otherRoot)
                let due = try await FaultCapture(&other).accepted().id
                _ = try await client.settled(due)
                #expect(try await stack.sql(expiredAt) == ["0"])
                #expect(try await keys("captures/\(id)/") == before)
            } else {
                try await eventually("its media is gone") { try await stack.sql(expiredAt) == ["1"] }
                #expect(try await keys("captures/\(id)/").isEmpty)
                #expect(try await stack.mediaNames(of: id).isEmpty)
                #expect(try await client.show(id).data["media_url"] is NSNull)
            }
            #expect(try await client.show(id).data["status"] as? String == "failed")
            #expect(try await capture.accepted().status == 200)
            let whole = try await client.settled(id)
            #expect(whole.data["confidence_level"] as? String == (isVerified ? "high" : "medium"))
            #expect(try await keys("captures/\(id)/").count > 4)
        }
    }
}
