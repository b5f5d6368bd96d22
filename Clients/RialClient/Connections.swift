import NIOCore
public import AsyncHTTPClient

/// The connections of clients that bring none of their own; they live as long as the process.
public enum Connections {
    public static let shared = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(perHost: 8))

    /// A connection that is refused fails the request at once: whether to try again is ``RetryPolicy``'s to say.
    /// - Parameter perHost: connections to one server at a time.
    public static func configuration(perHost: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = perHost
        return configuration
    }
}
