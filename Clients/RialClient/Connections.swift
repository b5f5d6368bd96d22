import NIOCore
public import AsyncHTTPClient

/// The default connections of clients; they live as long as the process.
public enum Connections {
    public static let shared = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(perHost: 8))

    /// A refused connection fails the request at once; retries are left to ``RetryPolicy``.
    /// - Parameter perHost: the largest number of connections to one server.
    public static func configuration(perHost: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = perHost
        return configuration
    }
}
