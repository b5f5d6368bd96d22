import CaptureProtocol
import Foundation
import Messaging
import Models
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

extension SystemTests {
    @Suite("Records that can never succeed")
    struct DeliveryPoison {
        static let services: [ServiceName] = [.attestationVerifier, .depthAnalyzer, .uploadSync]

        /// A valid event of a capture that does not exist.
        private static func unknown() -> CaptureReceived { CaptureReceived(captureID: CaptureID(), kind: .photo) }

        private static func identified() -> [KafkaHeader] {
            [KafkaHeader(name: "ce_id", value: Array(UUID().uuidString.lowercased().utf8))]
        }

        @Test("become dead letters with their reason, and later good records complete", .timeLimit(.minutes(6)))
        func amongGoodOnes() async throws {
            let stack = try LocalStack.required()
            let producer = try stack.producer()
            let topic = Topic.captureReceived.rawValue
            var device = try await TestClient.current().device()
            let nobody = Self.unknown()
            let mark = "poison-\(UUID())"
            // Enough keys for poison records before the valid ones in all partitions.
            for number in 0..<24 {
                let key = Array("\(mark)-\(number)".utf8)
                try await producer.send(topic: topic, key: key, value: Array("{\"capture_id\":".utf8), headers: Self.identified())
            }
            try await producer.send(
                topic: topic, key: Array(nobody.partitionKey.utf8), value: try WireJSON.encode(nobody), headers: Self.identified())
            let good = try [FaultCapture(&device), FaultCapture(&device), FaultCapture(&device)]
            var ids: [String] = []
            for capture in good { ids.append(try await capture.accepted().id) }
            try await stack.expectWhole(ids, of: device)
            for service in Self.services {
                let letters = Topic.captureReceived.deadLetters(of: service)
                var garbage: [KafkaRecord] = []
                try await eventually("\(service) gave the unknown capture and the garbage up") {
                    let records = try await KafkaTopicReader(stack.kafka()).read(topic: letters.rawValue, limit: 10_000)
                    garbage = records.filter { $0.key == Array("\(mark)-23".utf8) }
                    let isGivenUp = records.contains {
                        $0.key == Array(nobody.partitionKey.utf8) && $0.header("rial_dlq_reason") == "capture_unknown"
                            && $0.header("rial_dlq_topic") == topic
                    }
                    return isGivenUp && !garbage.isEmpty
                }
                // Delivery is at-least-once, so a dead letter may be duplicated.
                #expect(Set(garbage.map { $0.header("rial_dlq_reason") }) == ["undecodable"])
                #expect(garbage.first?.value == Array("{\"capture_id\":".utf8))
                for name in ["rial_dlq_detail", "rial_dlq_partition", "rial_dlq_offset", "rial_dlq_attempts", "rial_dlq_time"] {
                    #expect(garbage.first?.header(name)?.isEmpty == false, "\(name)")
                }
            }
            // Unknown captures leave no rows in the services' tables.
            for table in ["attestation_appraisals", "depth_analyses", "sync_jobs", "evidence_parts"] {
                #expect(try await stack.sql("SELECT count(*) FROM \(table) WHERE capture_id = '\(nobody.captureID)'") == ["0"])
            }
            let list = try await stack.rial(["dlq", "list", "--topic", topic])
            #expect(list.contains(mark) && list.contains("undecodable") && list.contains("capture_unknown"))
        }

        /// The ways to re-drive a failed capture once its objects are restored.
        enum Redrive: String, Sendable, CaseIterable { case capture, client, topic }

        @Test("a capture whose media is missing fails with the reason, and completes once it is back", .timeLimit(.minutes(8)))
        func redriven() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            var captures: [(way: Redrive, capture: FaultCapture, id: String)] = []
            var kept: [String: [UInt8]] = [:]
            try await stack.without(["depth-analyzer", "upload-sync"]) {
                for way in Redrive.allCases {
                    let capture = try FaultCapture(&device)
                    let id = try await capture.accepted().id
                    captures.append((way, capture, id))
                    kept.merge(try await stack.takeIntake(of: id)) { _, new in new }
                }
            }
            #expect(kept.count >= 2 * captures.count)
            for (_, _, id) in captures {
                let failed = try await client.settled(id, as: "failed")
                #expect(failed.data["failure"] as? String == "intake_missing")
                #expect(failed.data["confidence_level"] is NSNull)
            }
            // Without its objects it only fails again.
            let first = captures[0].id
            let letters = Topic.captureReceived.deadLetters(of: .uploadSync)
            // The missing depth map fails the capture as well, perhaps before upload-sync has restarted.
            try await eventually("it was given up") { try await !stack.records(of: letters, key: first).isEmpty }
            let redriven = try await stack.rial(["dlq", "redrive", "--capture", first])
            let event = try #require(redriven.firstMatch(of: /announced again as event ([0-9a-f-]{36})/)?.1)
            try await eventually("it was given up again") {
                try await stack.records(of: letters, key: first).contains { $0.header("ce_id") == String(event) }
            }
            #expect(try await client.show(first).data["status"] as? String == "failed")
            try await stack.putBack(kept)
            for (way, capture, id) in captures {
                switch way {
                case .capture: _ = try await stack.rial(["dlq", "redrive", "--capture", id])
                case .topic: _ = try await stack.rial(["dlq", "redrive", "--topic", Topic.captureReceived.rawValue, "--all"])
                case .client: #expect(try await capture.accepted().status == 200)
                }
                let answer = try await client.settled(id, within: .seconds(90))
                #expect(answer.data["confidence_level"] as? String == "high", "\(way)")
                #expect(answer.data["failure"] == nil)
                #expect(try await stack.rial(["dlq", "redrive", "--capture", id]).contains("complete already"))
            }
            let owner = try #require(device.deviceID)
            let rows = try await stack.sql("SELECT status, count(*) FROM captures WHERE device_id = '\(owner)' GROUP BY status")
            #expect(rows == ["complete|\(captures.count)"])
        }

        @Test(
            "a capture that failed by our fault goes through again by itself, eight times at most; another does not",
            .timeLimit(.minutes(8)))
        func repaired() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            var ids: [String] = []
            let kept = try await stack.without(["depth-analyzer", "upload-sync"]) {
                var kept: [String: [UInt8]] = [:]
                for _ in 0..<3 {
                    let id = try await FaultCapture(&device).accepted().id
                    kept.merge(try await stack.takeIntake(of: id)) { _, new in new }
                    ids.append(id)
                }
                return kept
            }
            let list = ids.map { "'\($0)'" }.joined(separator: ", ")
            // Both services must have reported their failure: a later report would overwrite the reason that is written below.
            try await eventually("each was given up by both services") {
                try await stack.sql("SELECT count(*) FROM evidence_parts WHERE outcome = 'error' AND capture_id IN (\(list))") == ["6"]
            }
            for id in ids { _ = try await client.settled(id, as: "failed") }
            let (seventh, eighth, own) = (ids[0], ids[1], ids[2])
            try await stack.putBack(kept)
            // Simulates earlier failures of handling, with all three captures due; the reason is written last, since it makes them due.
            for (id, repairs) in [(seventh, 7), (eighth, 8), (own, 0)] {
                _ = try await stack.sql(
                    """
                    INSERT INTO sync_jobs (capture_id, repairs, announce_next_at) VALUES ('\(id)', \(repairs), now())
                    ON CONFLICT (capture_id) DO UPDATE SET repairs = \(repairs), announce_next_at = now()
                    """)
            }
            _ = try await stack.sql("UPDATE captures SET failure = 'handling_failed' WHERE id IN ('\(seventh)', '\(eighth)')")
            #expect(try await client.settled(seventh, within: .seconds(90)).data["confidence_level"] as? String == "high")
            let repairs = "SELECT repairs FROM sync_jobs WHERE capture_id IN (\(list)) ORDER BY repairs"
            #expect(try await stack.sql(repairs) == ["0", "8", "8"])
            #expect(try await client.show(eighth).data["failure"] as? String == "handling_failed")
            #expect(try await client.show(own).data["failure"] as? String == "intake_missing")
            // Manual re-drives do not count as repairs.
            for id in [eighth, own] { _ = try await stack.rial(["dlq", "redrive", "--capture", id]) }
            try await stack.expectWhole(ids, of: device, failedBefore: true)
        }
    }
}
