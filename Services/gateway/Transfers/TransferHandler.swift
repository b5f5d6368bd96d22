import HTTPTypes
import Metrics
import NIOCore
import NIOHTTPTypes

/// Bounds what a connection's requests and responses may take: bodies have a timeout and a least rate, responses a least rate, and of the
/// body of a request whose response was sent before it was read no more than ``drainBytes`` is taken.
///
/// Sits between the HTTP codec and what reads requests. A body that is aborted ends with ``BodyPace/Failure`` for whoever reads it; its
/// response says `Connection: close`, and the connection is closed after it.
final class TransferHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Read and forgotten after a response, so that a client that sends first and reads then finds it.
    static let drainBytes: Int64 = 1024 * 1024
    /// How long a connection that ends waits for its client to take the response.
    static let lingering = TimeAmount.seconds(5)

    /// Bytes that a channel was given and could not send yet.
    private let waitingBytes: (any Channel) -> Int
    private var requests = 0
    private var responses = 0
    /// Of the request that is arriving; `nil` between requests.
    private var body: BodyPace?
    /// Of the arriving body's declared length.
    private var remaining: Int64?
    private var drained: Int64 = 0
    /// Of the responses that are leaving: also of one that was written whole and has not been taken, as responses wait for one another.
    private var response: (pace: ResponsePace, windowEnds: NIODeadline)?
    private var isResponding = false
    private var hasFailed = false
    private var endsAfterResponse = false
    /// The last response was written: all that is left is to close.
    private var isLingering = false
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(
        waitingBytes: @escaping (any Channel) -> Int = {
            // Known to every channel that is a socket.
            (try? $0.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
        }
    ) { self.waitingBytes = waitingBytes }

    /// The response to the request whose body arrives has been sent.
    private var isDraining: Bool { body != nil && responses >= requests }

    func handlerRemoved(context: ChannelHandlerContext) { stopTimer() }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        body = nil
        response = nil
        context.fireChannelInactive()
    }

    // MARK: What arrives

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            requests += 1
            drained = 0
            remaining = head.headerFields[.contentLength].flatMap(Int64.init)
            var pace = BodyPace(length: remaining)
            pace.wait(at: context.eventLoop.now)
            body = pace
        case .body(let bytes):
            body?.receive(bytes.readableBytes)
            remaining = remaining.map { $0 - Int64(bytes.readableBytes) }
            if isDraining {
                drained += Int64(bytes.readableBytes)
                if drained > Self.drainBytes { return cut(context, "drained") }
            }
        case .end:
            body = nil
            remaining = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        body?.pause(at: context.eventLoop.now)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        body?.wait(at: context.eventLoop.now)
        schedule(context)
        context.read()
    }

    // MARK: What leaves

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            if response == nil { response = (ResponsePace(), context.eventLoop.now + ResponsePace.window) }
            isResponding = true
            // More would come than is read: the client learns that this was the last response.
            if body != nil, responses + 1 == requests, remaining.map({ $0 > Self.drainBytes }) ?? true { endsAfterResponse = true }
            if endsAfterResponse { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head:
            context.write(data, promise: promise)
        case .body(let bytes):
            response?.pace.write(bytes.readableBytes)
            context.write(data, promise: promise)
        case .end:
            responses += 1
            isResponding = false
            guard endsAfterResponse, responses >= requests else { return context.write(data, promise: promise) }
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { _ in self.finish(context) }
            context.write(data, promise: sent)
            // A client that takes nothing does not keep the connection.
            endLater(context)
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        schedule(context)
    }

    // MARK: Time

    private func schedule(_ context: ChannelHandlerContext) {
        guard context.channel.isActive, !isLingering else { return }
        let now = context.eventLoop.now
        let ofBody = hasFailed ? nil : body?.timeout(at: now).map { now + $0 }
        guard let wanted = [ofBody, response?.windowEnds].compactMap({ $0 }).min() else { return }
        // One that comes earlier sets the next.
        if let timer, timer.at <= wanted { return }
        stopTimer()
        let task = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: wanted) { self.check(context) }
        timer = (wanted, task)
    }

    private func stopTimer() {
        timer?.task.cancel()
        timer = nil
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        let now = context.eventLoop.now
        if let current = response, now >= current.windowEnds {
            response?.windowEnds = now + ResponsePace.window
            let waiting = waitingBytes(context.channel)
            if response?.pace.isTooSlow(waiting: waiting) == true { return cut(context, "answer_slow") }
            if !isResponding, waiting == 0 { response = nil }
        }
        if !hasFailed, let failure = body?.failure(at: now) {
            if isDraining { return cut(context, "body_\(failure.rawValue)") }
            abort(failure, context)
        }
        schedule(context)
    }

    // MARK: Ends

    /// Whoever reads the body learns of it and responds.
    private func abort(_ failure: BodyPace.Failure, _ context: ChannelHandlerContext) {
        count("body_\(failure.rawValue)")
        hasFailed = true
        endsAfterResponse = true
        context.fireErrorCaught(failure)
    }

    /// Ends the connection without further ado.
    private func cut(_ context: ChannelHandlerContext, _ reason: String) {
        count(reason)
        stopTimer()
        body = nil
        response = nil
        context.close(promise: nil)
    }

    private func count(_ reason: String) {
        Counter(label: "rial_transfers_cut_total", dimensions: [("reason", reason)]).increment()
    }

    /// The last response was sent. A client that is still sending would lose it if the connection were closed at once.
    private func finish(_ context: ChannelHandlerContext) {
        guard body != nil else { return context.close(promise: nil) }
        let ended = context.eventLoop.makePromise(of: Void.self)
        ended.futureResult.assumeIsolatedUnsafeUnchecked().whenFailure { _ in context.close(promise: nil) }
        context.close(mode: .output, promise: ended)
    }

    private func endLater(_ context: ChannelHandlerContext) {
        stopTimer()
        isLingering = true
        let at = context.eventLoop.now + Self.lingering
        let task = context.eventLoop.assumeIsolatedUnsafeUnchecked().scheduleTask(deadline: at) { context.close(promise: nil) }
        timer = (at, task)
    }
}
