import Foundation
import Hummingbird
import Logging
import NIOCore

/// The context of a request: its id, when it began, the client's address and its connection.
struct GatewayContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?
    let channel: any Channel
    /// When the request's head had been read.
    var begun = ContinuousClock.now
    /// Echoed in `X-Request-Id` and in the envelope; a UUID.
    var requestID = UUID().uuidString.lowercased()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }
}
