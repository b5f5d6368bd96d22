public import AsyncHTTPClient
public import ServiceLifecycle

/// A client whose connections are closed at shutdown, after everything that uses them.
public struct HTTPClientService: Service {
    public let client: HTTPClient

    public init(client: HTTPClient) { self.client = client }

    public func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
