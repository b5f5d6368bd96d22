import ArgumentParser
import Delivery
import Messaging
import Models

/// Creates the topics of the pipeline and their dead-letter topics.
struct AdminTopics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Creates the Kafka topics that are missing, and the services' rights.",
        discussion: """
            Reads RIAL_KAFKA_BROKERS, how to log in there (RIAL_KAFKA_SECURITY_PROTOCOL and what belongs to it), and \
            RIAL_KAFKA_PARTITIONS (default 6). Topics that exist are left as they are.
            """)

    @Flag(help: "Also allow each service, logged in under its own name, what it does with topics and groups, and no more (ACLs).")
    var access = false

    func run() async throws {
        let settings = OperatorSettings()
        let partitions = try settings.kafkaPartitions()
        let admin = KafkaAdmin(try settings.kafka())
        let names = Topic.all.map(\.rawValue)
        try await Patience(dependency: "Kafka") { try await admin.createTopics(names, partitions: partitions) }
        Console.result("topics: \(names.count) present")
        guard access else { return }
        let rights = ServiceName.allCases.flatMap(TopicAccess.rights)
        try await Patience(dependency: "Kafka") { try await admin.allow(rights) }
        Console.result("access: \(rights.count) rights of \(ServiceName.allCases.count) services")
    }
}
