public import Delivery
import Foundation
public import Hummingbird
import Logging
import Messaging
import Metrics
public import Models
import NIOCore
public import ObjectStorage
public import Observability
public import Persistence
import Secrets
public import ServiceLifecycle
import UnixSignals

/// Has counters that are shown before there is anything to count, so that the first time is an increase, which an alarm sees.
public protocol ShownCounters {
    static func showCounters()
}

/// The infrastructure of every service, built from its settings: database, broker, object store, outbox and relay, admin port.
public struct Backbone: Sendable {
    public let database: PostgresPool
    /// For the service's own work.
    public let storage: S3Client
    /// The same store, for media that the public downloads, possibly slowly.
    public let media: S3Client
    public let topics: TopicCreator
    public let readiness: Readiness
    public let outbox: Outbox
    public let inbox: Inbox
    let service: ServiceName
    let settings: ServiceSettings
    let logger: Logger
    private let metrics: MetricsRegistry
    private let producer: KafkaProducer
    private let kafkaAdmin: KafkaAdmin
    private let connections: StorageConnections
    /// The services that export spans.
    private let tracing: [any Service]

    /// - Parameter probes: readiness probes of the service's other dependencies.
    public init(
        _ service: ServiceName, settings: ServiceSettings, _ telemetry: Telemetry,
        probes: [(name: String, probe: Readiness.Probe)] = []
    ) throws {
        self.service = service
        self.settings = settings
        let logger = telemetry.logger
        self.logger = logger
        metrics = telemetry.metrics
        if let collector = settings.tracing, let spans = telemetry.spans {
            tracing = SpanCollector.services(collector, from: spans, of: service, logger: logger)
        } else {
            tracing = []
        }
        let database = PostgresPool(
            url: settings.databaseURL.value, size: settings.databasePoolSize, applicationName: service.rawValue, logger: logger)
        self.database = database
        producer = try KafkaProducer(settings.kafka, logger: logger)
        topics = TopicCreator(configuration: settings.kafka, partitions: settings.kafkaPartitions, logger: logger)
        let connections = StorageConnections(settings.storage, logger: logger)
        self.connections = connections
        storage = connections.work
        media = connections.media
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
    /// - Parameters:
    ///   - counters: the service's own that alarms look at.
    ///   - drain: how long the instance keeps serving, unready, after it was asked to shut down.
    ///   - ownConnections: to PostgreSQL, that the service opens beside the pool and those of every service.
    ///   - sharedTopics: those whose partitions the service's instances share; `nil` for all that it reads.
    ///   - extend: adds the service's own routes to its admin port.
    public func serviceGroup(
        _ own: [any Service], counters: [any ShownCounters.Type] = [], drain: Duration = .zero,
        ownConnections: Int = 0, sharedTopics: [Topic]? = nil, admin extend: (Router<AdminServer.Context>) -> Void = { _ in }
    ) -> ServiceGroup {
        for shown in counters { shown.showCounters() }
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
        let capacity = capacityTask(
            kafkaAdmin, ownConnections: ownConnections, sharedTopics: sharedTopics ?? TopicAccess.reads(service))
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
