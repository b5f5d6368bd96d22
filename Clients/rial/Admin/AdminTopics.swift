import ArgumentParser
import Messaging
import Models

/// Creates the topics of the pipeline and their dead-letter topics.
struct AdminTopics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Creates the Kafka topics that are missing.",
        discussion: "Reads RIAL_KAFKA_BROKERS, and RIAL_KAFKA_PARTITIONS (default 6). Topics that exist are left as they are.")

    func run() async throws {
        let settings = OperatorSettings()
        let partitions = try settings.kafkaPartitions()
        let admin = KafkaAdmin(try settings.kafka())
        let names = Topic.all.map(\.rawValue)
        try await Patience(dependency: "Kafka") { try await admin.createTopics(names, partitions: partitions) }
        Console.result("topics: \(names.count) present")
    }
}
