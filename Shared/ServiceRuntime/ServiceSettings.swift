public import Messaging
public import Models
public import ObjectStorage
public import Secrets

/// Only development mode accepts further App Attest roots, fail points, and brokers without encryption unless told otherwise.
public enum RunMode: String, Sendable, CaseIterable { case production, development }

/// The settings every service reads (SPEC §12).
public struct ServiceSettings: Sendable {
    public let mode: RunMode
    /// Its address, which contains a password.
    public let databaseURL: Secret<String>
    public let databasePoolSize: Int
    public let kafka: KafkaConfiguration
    public let kafkaPartitions: Int32
    /// The number of consumers of each topic in this process.
    public let consumers: Int
    /// The same of the topic that announces videos.
    public let videoConsumers: Int
    public let storage: S3Configuration
    public let adminHost: String
    public let adminPort: Int
    public let failPoints: String?
    /// Where spans are sent; `nil` for nowhere.
    public let tracing: TracingSettings?

    /// Reads the variables that all services have.
    /// - Throws: ``SettingsError``.
    public init(_ environment: ServiceEnvironment, service: ServiceName) throws {
        mode = try environment.choice("RIAL_MODE", RunMode.self)
        databaseURL = try environment.secret("RIAL_DATABASE_URL")
        databasePoolSize = try environment.integer("RIAL_DATABASE_POOL_SIZE", default: 8, in: 2...200)
        kafka = try KafkaSettings.read(environment, clientID: "rial-\(service.rawValue)", mode: mode)
        kafkaPartitions = Int32(try environment.integer("RIAL_KAFKA_PARTITIONS", default: 6, in: 1...1000))
        consumers = try environment.integer("RIAL_CONSUMERS", default: 2, in: 1...64)
        videoConsumers = try environment.integer("RIAL_VIDEO_CONSUMERS", default: 1, in: 1...64)
        storage = try S3Configuration(environment)
        adminHost = try environment.optional("RIAL_ADMIN_HOST") ?? "127.0.0.1"
        adminPort = try environment.integer("RIAL_ADMIN_PORT", in: 1...65535)
        tracing = try TracingSettings.read(environment)
        failPoints = try environment.optional("RIAL_FAIL_POINTS")
        if failPoints != nil, mode == .production {
            throw SettingsError("RIAL_FAIL_POINTS", "is for development mode only")
        }
    }
}

extension S3Configuration {
    /// From the `RIAL_S3_…` variables, for services and operator commands.
    /// - Throws: ``SettingsError``.
    public init(_ environment: ServiceEnvironment) throws {
        self.init(
            endpoint: try environment.requiredURL("RIAL_S3_ENDPOINT"), region: try environment.required("RIAL_S3_REGION"),
            bucket: try environment.required("RIAL_S3_BUCKET"), accessKeyID: try environment.required("RIAL_S3_ACCESS_KEY_ID"),
            secretAccessKey: try environment.secret("RIAL_S3_SECRET_ACCESS_KEY"))
    }
}
