import Foundation
import NIOCore
import SimulatedDevice
import Testing

@testable import ObjectStorage

extension SystemTests {
    @Suite("What names bytes before a capture does, and what cleans up")
    struct StorageIntake {
        private func keys(_ prefix: String) async throws -> Set<String> {
            Set(try await LocalStack.required().storage().list(prefix: prefix).objects.map(\.key))
        }

        /// `upload-sync` cleans up when it starts, and every so often.
        private func cleanUp() async throws { try await LocalStack.required().control("restart", "upload-sync") }

        /// What a gateway leaves behind that dies while it takes a large upload.
        private func abandon(of device: String, hours: Int) async throws -> String {
            let stack = try LocalStack.required()
            let storage = try stack.storage(as: "gateway")
            let id = UUID().uuidString.lowercased()
            _ = try await stack.sql(
                """
                INSERT INTO intakes (id, device_id, prefix, created_at)
                VALUES ('\(id)', '\(device)', 'incoming/\(id)/', now() - interval '\(hours) hours')
                """)
            try await storage.put("incoming/\(id)/photo", bytes: [1, 2, 3], contentType: "image/jpeg")
            let upload = storage.putStream("incoming/\(id)/depth", contentType: "application/octet-stream")
            try await upload.write(ByteBuffer(repeating: 1, count: S3Upload.partBytes + 1))
            return id
        }

        @Test("an upload of which nothing came goes after a day, its unfinished parts too; a younger one stays", .timeLimit(.minutes(2)))
        func abandoned() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let owner = try #require(device.deviceID)
            let (old, young) = (try await abandon(of: owner, hours: 25), try await abandon(of: owner, hours: 23))
            // A capture's own intake is not taken for abandoned, whatever the table says.
            let known = try await FaultCapture(&device).accepted().id
            _ = try await stack.sql(
                """
                INSERT INTO intakes (id, device_id, prefix, created_at)
                VALUES ('\(known)', '\(owner)', 'incoming/\(known)/', now() - interval '2 days')
                """)
            let before = try await keys("incoming/\(known)/")
            #expect(before.count >= 2)
            try await cleanUp()
            let storage = try stack.storage()
            try await eventually("the old one is gone") {
                let rows = try await stack.sql("SELECT id FROM intakes WHERE id IN ('\(old)', '\(known)')")
                let uploads = try await storage.unfinishedUploads(under: "incoming/\(old)/")
                let left = try await keys("incoming/\(old)/")
                return rows.isEmpty && uploads.isEmpty && left.isEmpty
            }
            #expect(try await keys("incoming/\(known)/") == before)
            #expect(try await keys("incoming/\(young)/") == ["incoming/\(young)/photo"])
            #expect(try await storage.unfinishedUploads(under: "incoming/\(young)/").count == 1)
            #expect(try await stack.sql("SELECT abandoned_at IS NULL FROM intakes WHERE id = '\(young)'") == ["t"])
            // Given up by the gateway, which could not delete: it goes without waiting for the day to end.
            _ = try await stack.sql("UPDATE intakes SET abandoned_at = now() - interval '11 minutes' WHERE id = '\(young)'")
            try await cleanUp()
            try await eventually("the other is gone") {
                let left = try await keys("incoming/\(young)/")
                return try await stack.sql("SELECT id FROM intakes WHERE id = '\(young)'").isEmpty && left.isEmpty
            }
            try await stack.expectWhole([known], of: device)
        }

        @Test("more abandoned uploads than one batch takes go in one turn", .timeLimit(.minutes(2)))
        func manyAbandoned() async throws {
            let stack = try LocalStack.required()
            let owner = try #require(try await TestClient.current().device().deviceID)
            _ = try await stack.sql(
                """
                INSERT INTO intakes (id, device_id, prefix, created_at)
                SELECT made, '\(owner)', 'incoming/' || made || '/', now() - interval '25 hours'
                FROM (SELECT gen_random_uuid() AS made FROM generate_series(1, 250)) AS ids
                """)
            try await cleanUp()
            try await eventually("all are gone") { try await stack.sql("SELECT id FROM intakes WHERE device_id = '\(owner)'").isEmpty }
        }

        @Test("an upload that is refused leaves neither bytes nor row", .timeLimit(.minutes(1)))
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
            "a repeat brings the bytes of a capture that lost them, failed or not yet", .timeLimit(.minutes(3)), arguments: [true, false])
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
                try await stack.expectWhole([id], of: device)
            }
            // The repeat's own intake is gone; what it brought is named until tomorrow.
            let owner = try #require(device.deviceID)
            let named = try await stack.sql("SELECT id FROM intakes WHERE device_id = '\(owner)'")
            #expect(named == [id])
            #expect(try await keys("incoming/\(id)/").isSuperset(of: ["incoming/\(id)/photo", "incoming/\(id)/depth"]))
        }

        @Test("media that is kept serves where intake is gone and the result was lost", .timeLimit(.minutes(3)))
        func lostResult() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let id = try await stack.without(["evidence-assembler"]) {
                let id = try await capture.accepted().id
                let done = "SELECT count(*) FROM sync_jobs WHERE capture_id = '\(id)' AND result IS NOT NULL"
                try await eventually("its media is kept") { try await stack.sql(done) == ["1"] }
                // As after a fail-over to a database that had not heard of it.
                try await stack.storage().delete(Array(try await keys("incoming/\(id)/")))
                for table in ["sync_jobs", "depth_analyses"] { _ = try await stack.sql("DELETE FROM \(table) WHERE capture_id = '\(id)'") }
                try await eventually("it is found again") { try await stack.sql(done) == ["1"] }
                return id
            }
            try await stack.expectWhole([id], of: device)
        }

        @Test("intake is kept for an hour after completion, and what is unnamed for a day", .timeLimit(.minutes(3)))
        func finished() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let ids = [try await FaultCapture(&device).accepted().id, try await FaultCapture(&device).accepted().id]
            try await stack.expectWhole(ids, of: device)
            let (swept, postponed) = (ids[0], ids[1])
            let unnamed = "captures/\(postponed)/og-\(String(repeating: "b", count: 64)).jpg"
            try await stack.storage().put(unnamed, bytes: [1], contentType: "image/jpeg")
            let age = { (times: String) in
                _ = try await stack.sql(
                    "UPDATE captures SET completed_at = now() - interval '\(times)' WHERE id IN ('\(swept)', '\(postponed)')")
                _ = try await stack.sql(
                    "UPDATE sync_jobs SET synced_at = now() - interval '\(times)' WHERE capture_id IN ('\(swept)', '\(postponed)')")
                try await cleanUp()
            }
            let deleted =
                "SELECT count(*) FROM sync_jobs WHERE capture_id IN ('\(swept)', '\(postponed)') AND intake_deleted_at IS NOT NULL"
            try await age("50 minutes")
            // Whoever comes later has seen the first turn of every task.
            try await stack.expectWhole([swept, postponed], of: device)
            #expect(try await stack.sql(deleted) == ["0"])
            #expect(try await !keys("incoming/\(swept)/").isEmpty)
            try await age("25 hours")
            try await eventually("intake is deleted") { try await stack.sql(deleted) == ["2"] }
            #expect(try await keys("incoming/\(swept)/").isEmpty)
            let looked =
                "SELECT capture_id FROM sync_jobs WHERE capture_id IN ('\(swept)', '\(postponed)') AND derived_swept_at IS NOT NULL"
            // The other has something that is too young to be judged.
            try await eventually("what is unnamed was looked for") { try await stack.sql(looked) == [swept] }
            #expect(try await keys("captures/\(postponed)/").contains(unnamed))
            try await stack.expectWhole([swept, postponed], of: device)
            try await stack.storage().delete([unnamed])
        }

        @Test(
            "a failed capture's media goes after 30 days if its device is unverified, and comes with the same upload",
            .timeLimit(.minutes(3)),
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
                // Nothing is left from which it could be made whole, however often it is announced.
                _ = try await stack.takeIntake(of: id)
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
                // Another's that is due shows that the turn has come.
                var other = try await client.device(.ed25519, defect: .otherRoot)
                let due = try await FaultCapture(&other).accepted().id
                _ = try await client.settled(due)
                #expect(try await stack.sql(expiredAt) == ["0"])
                #expect(try await keys("captures/\(id)/") == before)
            } else {
                try await eventually("its media is gone") { try await stack.sql(expiredAt) == ["1"] }
                #expect(try await keys("incoming/\(id)/").isEmpty)
                #expect(try await keys("captures/\(id)/").allSatisfy { $0.contains("/depth-preview-") })
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
