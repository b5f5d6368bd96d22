import ArgumentParser
import Delivery
import Messaging
import Models

/// Creates and grows the topics of the pipeline and their dead-letter topics.
struct AdminTopics: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Creates missing Kafka topics, and the services' rights.",
        discussion: """
            Reads RIAL_KAFKA_BROKERS, the settings for logging in (RIAL_KAFKA_SECURITY_PROTOCOL and so on), and \
            RIAL_KAFKA_PARTITIONS (default 6). Without --grow existing topics are left as they are.
            """)

    @Flag(
        help: """
            Also give existing topics RIAL_KAFKA_PARTITIONS partitions, if they have fewer. What was published is handled first, and \
            nothing is published meanwhile, for 20 seconds or more: captures are accepted and wait. Needs RIAL_DATABASE_URL.
            """)
    var grow = false

    @Option(help: ArgumentHelp("With --grow, how long services may take for what was published.", valueName: "seconds"))
    var within = 60

    @Flag(help: "Also give each service's user, named like the service, the rights (ACLs) that it needs, and no others.")
    var access = false

    func validate() throws {
        guard (1...3600).contains(within) else { throw ValidationError("--within is a number of seconds from 1 to 3600.") }
    }

    func run() async throws {
        let settings = OperatorSettings()
        let partitions = try settings.kafkaPartitions()
        let admin = KafkaAdmin(try settings.kafka())
        let names = Topic.all.map(\.rawValue)
        try await StartupRetry(dependency: "Kafka") { try await admin.createTopics(names, partitions: partitions) }
        Console.result("topics: \(names.count) exist")
        if grow { try await growTopics(admin, databaseURL: try settings.databaseURL(), partitions: partitions) }
        guard access else { return }
        let rights = ServiceName.allCases.flatMap(TopicAccess.rights)
        try await StartupRetry(dependency: "Kafka") { try await admin.allow(rights) }
        Console.result("access: \(rights.count) rights of \(ServiceName.allCases.count) services")
    }

    private func growTopics(_ admin: KafkaAdmin, databaseURL: String, partitions: Int32) async throws {
        let growth = TopicGrowth(topics: admin, gate: PostgresPublishingGate(databaseURL: databaseURL))
        do {
            let grown = try await StartupRetry(dependency: "Kafka or PostgreSQL") {
                try await growth.run(partitions: partitions, timeout: .seconds(within))
            }
            let result = grown.isEmpty ? "no topic has fewer than \(partitions)" : "\(grown.count) topics have \(partitions) now"
            Console.result("partitions: \(result)")
        } catch let error as TopicGrowth.Behind {
            throw CommandFailure("No topic has grown: \(error). Services that handle records must run.")
        }
    }
}
