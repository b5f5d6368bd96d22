import ArgumentParser
import Delivery
import Messaging
import Models

/// Creates the topics of the pipeline and their dead-letter topics.
struct AdminTopics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Creates missing Kafka topics, and the services' rights.",
        discussion: """
            Reads RIAL_KAFKA_BROKERS, the settings for logging in (RIAL_KAFKA_SECURITY_PROTOCOL and so on), and \
            RIAL_KAFKA_PARTITIONS (default 6). Existing topics are left as they are.
            """)

    @Flag(help: "Also give each service's user, named like the service, the rights (ACLs) that it needs, and no others.")
    var access = false

    func run() async throws {
        let settings = OperatorSettings()
        let partitions = try settings.kafkaPartitions()
        let admin = KafkaAdmin(try settings.kafka())
        let names = Topic.all.map(\.rawValue)
        try await StartupRetry(dependency: "Kafka") { try await admin.createTopics(names, partitions: partitions) }
        Console.result("topics: \(names.count) exist")
        guard access else { return }
        let rights = ServiceName.allCases.flatMap(TopicAccess.rights)
        try await StartupRetry(dependency: "Kafka") { try await admin.allow(rights) }
        Console.result("access: \(rights.count) rights of \(ServiceName.allCases.count) services")
    }
}
