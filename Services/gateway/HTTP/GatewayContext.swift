import Foundation
import Hummingbird
import Logging
import NIOCore

/// What a request carries through the middleware: its id, and where it came from.
struct GatewayContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?
    /// Echoed in `X-Request-Id` and in the envelope; a UUID.
    var requestID = UUID().uuidString.lowercased()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
