import NIOCore
import NIOHTTP1

extension ChannelPipeline {
    /// Adds a handler directly behind the decoder of requests; none without a decoder. Call it on the event loop.
    func addBehindDecoder(_ handler: some ChannelHandler) {
        guard let decoder = try? syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? syncOperations.addHandler(handler, position: .after(decoder))
    }
}
