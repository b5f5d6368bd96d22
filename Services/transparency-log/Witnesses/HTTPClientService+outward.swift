import AsyncHTTPClient
import NIOCore
import ServiceRuntime

extension HTTPClientService {
    /// Connections to others' servers, with time limits. Redirects are not followed: witnesses and authorities are where the settings say.
    init(outwardTimeout timeout: Duration) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(timeout), read: TimeAmount(timeout)))
        configuration.connectionPool.retryConnectionEstablishment = false
        self.init(client: HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration))
    }
}
