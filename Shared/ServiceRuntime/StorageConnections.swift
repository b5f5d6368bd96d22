import AsyncHTTPClient
import Logging
import NIOCore
public import ObjectStorage
import ServiceLifecycle

/// Clients of the object store with connections of their own: who holds those of one purpose keeps nobody from another.
public struct StorageConnections: Sendable {
    /// How many there are for each purpose but probes, which take one at a time.
    public static let perPurpose = 64

    /// What the service is there for.
    public let work: S3Client
    /// What the public reads, at its own pace.
    public let media: S3Client
    /// Whether the store is well.
    public let probes: S3Client
    private let clients: [HTTPClient]

    init(_ configuration: S3Configuration, logger: Logger) {
        // A store that is away shows at once: the S3 client has its own retries, and handlers theirs. A probe has two seconds in all.
        let patient = HTTPClient.Configuration.Timeout(connect: .seconds(2), read: .seconds(20))
        let clients = [
            Self.client(connections: Self.perPurpose, patient), Self.client(connections: Self.perPurpose, patient),
            Self.client(connections: 2, .init(connect: .seconds(1), read: .seconds(2))),
        ]
        let storage = clients.map { S3Client(configuration: configuration, httpClient: $0, logger: logger) }
        work = storage[0]
        media = storage[1]
        probes = storage[2]
        self.clients = clients
    }

    private static func client(connections: Int, _ timeout: HTTPClient.Configuration.Timeout) -> HTTPClient {
        var configuration = HTTPClient.Configuration(timeout: timeout)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Ends them at shutdown, after everything that uses them.
    var services: [any Service] { clients.map { HTTPClientService(client: $0) } }
}

private struct HTTPClientService: Service {
    let client: HTTPClient
    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
