public import AsyncHTTPClient
import NIOCore

/// The clients' default connection pools; they exist as long as the process.
public enum Connections {
    public static let shared = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(perHost: 8))

    /// A refused connection fails the request at once: ``RetryPolicy`` is responsible for retries.
    /// - Parameter perHost: the maximum number of connections to one server.
    public static func configuration(perHost: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = perHost
        return configuration
    }
}
