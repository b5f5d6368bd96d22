import Foundation
import Messaging
import Models
import TestSupport
import Testing

extension SystemTests {
    /// `rial admin topics --grow` with the stack's services and database, and a broker that can add partitions.
    @Suite("Growing topics")
    struct Growth {
        private static func broker() async throws -> StandInBroker {
            let broker = try StandInBroker()
            let admin = KafkaAdmin(KafkaConfiguration(brokers: broker.address, clientID: "tests"))
            try await admin.createTopics(Topic.all.map(\.rawValue), partitions: 3)
            return broker
        }

        private static func grow(_ stack: LocalStack, _ broker: StandInBroker, within seconds: Int = 60) async throws -> String {
            try await stack.rial(
                ["admin", "topics", "--grow", "--within", "\(seconds)"],
                ["RIAL_KAFKA_BROKERS": broker.address, "RIAL_KAFKA_PARTITIONS": "6"])
        }

        @Test("accepts captures meanwhile, and sends them on their way when all partitions are there", .timeLimit(.minutes(6)))
        func acceptsAndHolds() async throws {
            let stack = try LocalStack.required()
            let broker = try await Self.broker()
            var device = try await TestClient.current().device()
            // Something that was published before is handled only later.
            let (topic, group) = (Topic.captureReceived.rawValue, Topic.captureReceived.consumerGroup(of: .depthAnalyzer))
            for reader in [ServiceName.attestationVerifier, .uploadSync] {
                try broker.commit(5, of: topic, by: Topic.captureReceived.consumerGroup(of: reader))
            }
            try broker.setEnd(of: topic, to: 5)
            async let growing = Self.grow(stack, broker)
            try await eventually("the gate is closed") {
                try await stack.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rial-publishing-gate'") == ["1"]
            }
            let id = try await FaultCapture(&device).accepted().id
            try broker.commit(5, of: topic, by: group)
            try await eventually("topics have grown") { broker.told.contains { $0.contains("grown") } }
            #expect(try await stack.sql("SELECT count(*) FROM gateway_outbox WHERE record_key = '\(id)'") == ["1"])
            #expect(try await stack.records(of: .captureReceived, key: id).isEmpty)
            #expect(try await growing.contains("partitions: \(Topic.all.count) topics have 6 now"))
            #expect(broker.told.count { $0.contains("grown") } == Topic.all.count)
            try await stack.expectWhole([id], of: device)
            #expect(try await Self.grow(stack, broker).contains("partitions: no topic has fewer than 6"))
        }

        @Test("changes nothing and opens again if a service does not handle its records", .timeLimit(.minutes(6)))
        func behind() async throws {
            let stack = try LocalStack.required()
            let broker = try await Self.broker()
            try broker.setEnd(of: Topic.evidenceLogged.rawValue, to: 2)
            try broker.commit(1, of: Topic.evidenceLogged.rawValue, by: Topic.evidenceLogged.consumerGroup(of: .evidenceAssembler))
            let failure = await #expect(throws: LocalStack.CommandFailed.self) { try await Self.grow(stack, broker, within: 1) }
            #expect(failure?.output.contains("evidence-assembler.\(Topic.evidenceLogged) has 1 records left") == true)
            #expect(!broker.told.contains { $0.contains("grown") })
            var device = try await TestClient.current().device()
            try await stack.expectWhole([try await FaultCapture(&device).accepted().id], of: device)
        }
    }
}
