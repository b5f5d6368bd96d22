import Messaging
import ObjectStorage
import ServiceRuntime

/// The settings of operators' commands, from the same variables as the services' (SPEC §12).
struct OperatorSettings {
    /// For the help of commands that need this role.
    static let ownerDatabase = "RIAL_DATABASE_URL, with the role that owns the database"
    let environment = ServiceEnvironment()

    func databaseURL() throws -> String { try environment.required("RIAL_DATABASE_URL") }

    func kafka() throws -> KafkaConfiguration {
        try KafkaSettings.read(environment, clientID: "rial-cli", mode: nil)
    }

    func kafkaPartitions() throws -> Int32 {
        Int32(try environment.integer("RIAL_KAFKA_PARTITIONS", default: 6, in: 1...1000))
    }

    func storage() throws -> S3Configuration { try S3Configuration(environment) }
}
