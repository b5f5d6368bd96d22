import Secrets
import UnixSignals
public import Delivery
import Foundation
public import Hummingbird
public import Logging
import Messaging
import Metrics
public import Models
import NIOCore
public import ObjectStorage
public import Observability
public import Persistence
public import ServiceLifecycle

/// The infrastructure of every service, built from its settings: database, broker, object store, outbox and relay, admin port.
public struct Backbone: Sendable {
    public let service: ServiceName
    let settings: ServiceSettings
    let logger: Logger
    let metrics: MetricsRegistry
    public let database: PostgresPool
    let producer: KafkaProducer
    public let topics: TopicCreator
    public let connections: StorageConnections
    /// For the service's own work.
    public let storage: S3Client
    public let readiness: Readiness
    public let outbox: Outbox
    public let inbox: Inbox
    private let kafkaAdmin: KafkaAdmin
    /// What exports spans.
    private let tracing: [any Service]

    /// - Parameter probes: readiness probes of the service's other dependencies.
    public init(
        _ service: ServiceName, settings: ServiceSettings, metrics: MetricsRegistry, logger: Logger,
        probes: [(name: String, probe: Readiness.Probe)] = []
    ) throws {
        self.service = service
        self.settings = settings
        self.logger = logger
        self.metrics = metrics
        if let folder = settings.failPoints { FailPoint.arm(folder: folder) }
        tracing = settings.tracing.map { SpanCollector.start($0, service, logger: logger) } ?? []
        let database = PostgresPool(
            url: settings.databaseURL.value, size: settings.databasePoolSize, applicationName: service.rawValue, logger: logger)
        self.database = database
        producer = try KafkaProducer(settings.kafka, logger: logger)
        topics = TopicCreator(configuration: settings.kafka, partitions: settings.kafkaPartitions, logger: logger)
        let connections = StorageConnections(settings.storage, logger: logger)
        self.connections = connections
        storage = connections.work
        let storageProbe = StorageProbe(service, storage: connections.probes, logger: logger)
        let admin = KafkaAdmin(settings.kafka)
        kafkaAdmin = admin
        let heartbeat = Heartbeat(service, url: settings.databaseURL.value, logger: logger)
        let own: [(name: String, probe: Readiness.Probe)] = [
            ("database", { (try? await heartbeat.beat()) != nil }),
            ("broker", { await admin.brokersReachable(timeout: .seconds(2)) }),
            ("storage", { await storageProbe.answers() }),
        ]
        readiness = Readiness(probes: own + probes, logger: logger)
        outbox = Outbox(service)
        inbox = Inbox(service)
    }

    /// The service's consumers of `Handler.Message.topic`.
    /// - Parameter consumers: how many; `nil` for as many as the settings say.
    public func consume<Handler: MessageHandler>(_ handler: Handler, consumers: Int? = nil) -> ConsumerService<Handler>
    where Handler.Transaction == PostgresConnection {
        ConsumerService(
            service: service, handler: handler, consumers: consumers ?? settings.consumers, kafka: settings.kafka, database: database,
            topics: topics, logger: logger)
    }

    /// Builds the group of all services, dependencies first; they stop in reverse order, so that handlers finish before their dependencies
    /// stop.
    /// - Parameter drain: how long the instance goes on, unready, once it is told to end.
    public func serviceGroup(
        _ own: [any Service], drain: Duration = .zero, admin extend: (Router<AdminServer.Context>) -> Void = { _ in }
    ) -> ServiceGroup {
        let relay = OutboxRelay(
            service: service, database: database,
            listener: PostgresListener(
                url: settings.databaseURL.value, channels: [service.outboxTable], applicationName: service.rawValue + "-relay",
                logger: logger),
            producer: producer, topics: topics, logger: logger)
        let sweep = PeriodicTask(name: "inbox sweep", every: .seconds(3600), logger: logger) { [inbox, database] in
            try await inbox.sweep(database)
        }
        let gauge = PeriodicTask(name: "outbox depth", every: .seconds(5), logger: logger) { [service, database] in
            try await OutboxGauge.measure(service, database)
        }
        let capacity = capacityTask(kafkaAdmin)
        let adminServer = AdminServer.make(
            host: settings.adminHost, port: settings.adminPort, metrics: metrics, readiness: readiness, logger: logger, extend: extend)
        let infrastructure =
            tracing + connections.services + [database, producer, topics, readiness, adminServer, relay, sweep, gauge, capacity]
        let last = Drain(readiness: readiness, duration: drain, logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: (infrastructure + own + [last]).map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(25) + drain
        return ServiceGroup(configuration: configuration)
    }
}
