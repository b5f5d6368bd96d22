import AsyncHTTPClient
import Logging
import NIOCore
import ObjectStorage
import ServiceLifecycle

/// Clients of the object store, one per purpose, each with its own connections: one purpose cannot use up those of the others.
public struct StorageConnections: Sendable {
    /// Connections for each purpose except probes, which use one at a time.
    public static let perPurpose = 64
    /// How long media may be read without a byte from the store. The HTTP client reads ``mediaReadBytes`` at once and the rest only when
    /// these are passed on; its timeout runs meanwhile, however slowly a client of ours takes them.
    static let mediaReadTimeout = TimeAmount.seconds(75)
    /// The most that the HTTP client reads at once: four buffers of 64 KiB.
    static let mediaReadBytes = 4 * 65_536

    /// For the service's own work.
    let work: S3Client
    /// For media that the public downloads, possibly slowly.
    let media: S3Client
    /// For readiness probes.
    let probes: S3Client
    private let clients: [HTTPClient]

    init(_ configuration: S3Configuration, logger: Logger) {
        // Short connect timeouts, since the S3 client and the handlers retry. A probe has two seconds in all.
        let timeout = HTTPClient.Configuration.Timeout(connect: .seconds(2), read: .seconds(20))
        let clients = [
            Self.client(connections: Self.perPurpose, timeout),
            Self.client(connections: Self.perPurpose, .init(connect: .seconds(2), read: Self.mediaReadTimeout)),
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

    /// Close the clients at shutdown, after everything that uses them.
    var services: [any Service] { clients.map { HTTPClientService(client: $0) } }
}
