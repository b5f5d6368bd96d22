import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// A server on loopback that treats every request alike, and keeps what came.
final class TransportServer: Sendable {
    enum Behaviour: Sendable {
        case answer(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = [])
        /// Answers when it has the head, and goes on reading.
        case answerEarly(status: Int)
        /// Reads everything, and never answers.
        case silence
        /// Reads the head only.
        case stopReading
        /// Closes the connection when it has so many bytes of the body.
        case cut(afterBytes: Int)
        /// Closes the connection instead of answering.
        case swallowAnswer
        /// Closes the connection in the middle of the answer.
        case cutAnswer
        /// Sends an answer that never ends.
        case drip
    }

    struct Request: Sendable {
        let method: String
        let target: String
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]
    }

    fileprivate struct State {
        var requests: [Request] = []
        var receivedBytes = 0
        var connections: [ObjectIdentifier: any Channel] = [:]
        var accepted = 0
    }

    private let state = Mutex(State())
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// The complete requests.
    var requests: [Request] { state.withLock { $0.requests } }
    /// What came after the TLS handshake, if there is one.
    var receivedBytes: Int { state.withLock { $0.receivedBytes } }
    var openConnections: Int { state.withLock { $0.connections.count } }
    /// Connections so far.
    var accepted: Int { state.withLock { $0.accepted } }
    var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }

    private init() {}

    /// Serves while `body` runs.
    static func run<Result: Sendable>(
        _ behaviour: Behaviour, tls: TLSConfiguration? = nil, _ body: (TransportServer) async throws -> Result
    ) async throws -> Result {
        let server = TransportServer()
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                server.change { state in
                    state.connections[ObjectIdentifier(channel)] = channel
                    state.accepted += 1
                }
                channel.closeFuture.whenComplete { _ in server.change { $0.connections[ObjectIdentifier(channel)] = nil } }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(ByteCounter(server: server))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(RequestHandler(server: server, behaviour: behaviour))
                }
            }
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        server.channel.withLock { $0 = channel }
        do {
            let result = try await body(server)
            await server.close(channel)
            return result
        } catch {
            await server.close(channel)
            throw error
        }
    }

    private func close(_ listener: any Channel) async {
        for channel in [listener] + state.withLock({ Array($0.connections.values) }) { try? await channel.close() }
    }

    fileprivate func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
}

/// Counts what a client sends.
private final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let server: TransportServer

    init(server: TransportServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        server.change { $0.receivedBytes += count }
        context.fireChannelRead(data)
    }

    /// Clients that refuse a certificate, and cut connections, are what the tests are about.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: TransportServer
    private let behaviour: TransportServer.Behaviour
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(server: TransportServer, behaviour: TransportServer.Behaviour) {
        self.server = server
        self.behaviour = behaviour
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            switch behaviour {
            case .answerEarly(let status): answer(context, status: status, headers: [:], body: [])
            case .stopReading: context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
            default: break
            }
        case .body(let piece):
            body += piece.readableBytesView
            if case .cut(let count) = behaviour, body.count >= count { context.close(promise: nil) }
        case .end:
            keepRequest()
            end(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func keepRequest() {
        guard let head else { return }
        let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        let request = TransportServer.Request(method: head.method.rawValue, target: head.uri, headers: headers, body: body)
        server.change { $0.requests.append(request) }
    }

    private func end(_ context: ChannelHandlerContext) {
        switch behaviour {
        case .answer(let status, let headers, let body): answer(context, status: status, headers: headers, body: body)
        case .swallowAnswer: context.close(promise: nil)
        case .cutAnswer:
            begin(context, status: 200, headers: ["content-length": "100"])
            write(context, [1, 2, 3])
            context.close(promise: nil)
        case .drip:
            begin(context, status: 200, headers: ["transfer-encoding": "chunked"])
            drip(context)
        case .answerEarly, .silence, .stopReading, .cut: break
        }
    }

    private func answer(_ context: ChannelHandlerContext, status: Int, headers: [String: String], body: [UInt8]) {
        var headers = headers
        headers["content-length"] = String(body.count)
        begin(context, status: status, headers: headers)
        write(context, body)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func begin(_ context: ChannelHandlerContext, status: Int, headers: [String: String]) {
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: status), headers: HTTPHeaders(headers.map { ($0.key, $0.value) }))
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func write(_ context: ChannelHandlerContext, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }

    private func drip(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        write(context, [0])
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) { self.drip(context) }
    }
}
