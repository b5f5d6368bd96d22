import AsyncHTTPClient
import NIOCore
import ServiceLifecycle

/// Connections to others' servers, with time limits. Redirects are not followed: witnesses and authorities are where the settings say.
struct OutwardClient: Service {
    let client: HTTPClient

    init(timeout: Duration) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(timeout), read: TimeAmount(timeout)))
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
