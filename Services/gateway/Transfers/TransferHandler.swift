import HTTPTypes
import Metrics
import NIOCore
import NIOHTTPTypes

/// Fired into a connection's pipeline, ends the arriving body, whose reader gets it as the error.
struct BodyStop: Error, Sendable {}

/// Limits slow transfers: request bodies have a timeout and a minimum rate, responses a minimum rate. If a response is sent before the
/// request's body was read, at most ``drainBytes`` of the body are drained, and nothing on a connection that ends after it. A connection is
/// closed after the idle timeout: time in which the client owes a request, or more of a body that the gateway is ready to read. A client
/// that waits for a 100 (Continue) owes nothing of the body before that.
///
/// Sits between the HTTP codec and the server's request handler. An aborted body fails with ``BodyPace/Failure`` for its reader, or with
/// ``BodyStop`` where that event was fired into the pipeline; the response says `Connection: close`, and the connection is closed after it.
/// Added to a pipeline, it also adds an ``HTTPVersionFilter`` before the codec, so that it sees no `Expect` of HTTP/1.0, and one form of
/// `Connection: close`, and a ``ForeignTextFilter`` before that.
final class TransferHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Read and discarded after a response, so that a client that sends its whole body before it reads gets the response.
    static let drainBytes: Int64 = 1024 * 1024
    /// How long a closing connection waits for the client to read the response.
    static let lingering = TimeAmount.seconds(5)

    private let idleTimeout: TimeAmount
    /// Bytes written to the channel that it could not send yet.
    private let waitingBytes: (any Channel) -> Int
    /// Since when the gateway has waited for the client's next bytes; `nil` while it does not.
    private var idleSince: NIODeadline?
    private var requests = 0
    private var responses = 0
    /// The pace of the arriving request body; `nil` between requests.
    private var body: BodyPace?
    /// Bytes left of the arriving body's declared length; `nil` if unknown.
    private var remaining: Int64?
    private var drained: Int64 = 0
    /// Whether the client waits for a 100 (Continue) before it sends the arriving body.
    private var awaitsContinue = false
    /// The pace of the outgoing responses, including one that was written completely but not yet taken, as pipelined responses wait for one
    /// another.
    private var response: (pace: ResponsePace, windowEnds: NIODeadline)?
    private var isResponding = false
    private var hasFailed = false
    private var endsAfterResponse = false
    /// Whether the client wants the connection closed after the response to its latest request.
    private var isLastRequest = false
    /// Whether the last response was written, so that the connection only has to be closed.
    private var isLingering = false
    /// Whether more of a body came after its response than is drained.
    private var hasStoppedReading = false
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(
        idleTimeout: TimeAmount,
        waitingBytes: @escaping (any Channel) -> Int = {
            // Every socket channel has this option.
            (try? $0.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
        }
    ) {
        self.idleTimeout = idleTimeout
        self.waitingBytes = waitingBytes
    }

    /// Whether the response was sent before the request's body had arrived.
    private var isDraining: Bool { body != nil && responses >= requests }

    func handlerAdded(context: ChannelHandlerContext) {
        context.pipeline.addBehindDecoder(HTTPVersionFilter())
        // Added last, it stands before the other.
        context.pipeline.addBehindDecoder(ForeignTextFilter())
        if context.channel.isActive { awaitRequest(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { stopTimer() }

    func channelActive(context: ChannelHandlerContext) {
        awaitRequest(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        body = nil
        response = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        idleSince = nil
        switch unwrapInboundIn(data) {
        case .head(let head):
            requests += 1
            drained = 0
            remaining = head.headerFields[.contentLength].flatMap(Int64.init)
            isLastRequest = head.headerFields[.connection] == "close"
            awaitsContinue = head.headerFields.expectsContinue
            var pace = BodyPace(length: remaining)
            if !awaitsContinue { pace.wait(at: context.eventLoop.now) }
            body = pace
        case .body(let bytes):
            awaitsContinue = false
            body?.receive(bytes.readableBytes)
            remaining = remaining.map { $0 - Int64(bytes.readableBytes) }
            if isDraining {
                drained += Int64(bytes.readableBytes)
                if drained > Self.drainBytes { stopReading() }
            }
        case .end:
            awaitsContinue = false
            body = nil
            remaining = nil
            awaitRequest(context)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        body?.pause(at: context.eventLoop.now)
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is BodyStop else { return context.fireUserInboundEventTriggered(event) }
        // The body may have ended before the event came.
        if body != nil, !isDraining, !hasFailed { abort(BodyStop(), "body_stopped", context) }
    }

    func read(context: ChannelHandlerContext) {
        if hasStoppedReading { return }
        if !awaitsContinue { awaitBody(context) }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            if response == nil { response = (ResponsePace(), context.eventLoop.now + ResponsePace.window) }
            isResponding = true
            // More of the body may follow than is drained, so this is the last response on the connection. Nor is anything drained where
            // the connection ends after the response: nobody would read it, and no timeout would count. Whether a client that still waits
            // for a 100 (Continue) sends the body or another request now, nobody knows.
            if body != nil, responses + 1 == requests {
                let isLast = isLastRequest || awaitsContinue || head.headerFields[.connection]?.lowercased() == "close"
                if isLast || (remaining.map { $0 > Self.drainBytes } ?? true) { endsAfterResponse = true }
            }
            if endsAfterResponse { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head(let head):
            if head.status == .continue, awaitsContinue, responses + 1 == requests {
                awaitsContinue = false
                awaitBody(context)
            }
            context.write(data, promise: promise)
        case .body(let bytes):
            response?.pace.write(bytes.readableBytes)
            context.write(data, promise: promise)
        case .end:
            responses += 1
            isResponding = false
            guard endsAfterResponse, responses >= requests else {
                awaitRequest(context)
                return context.write(data, promise: promise)
            }
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolatedUnsafeUnchecked().whenComplete { _ in self.finish(context) }
            context.write(data, promise: sent)
            // Close even if the client never reads the response.
            endLater(context)
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        schedule(context)
    }

    /// Between requests, begins the wait for the next one.
    private func awaitRequest(_ context: ChannelHandlerContext) {
        guard body == nil, responses >= requests else { return }
        idleSince = context.eventLoop.now
        schedule(context)
    }

    /// Begins the wait for more of the arriving body.
    private func awaitBody(_ context: ChannelHandlerContext) {
        body?.wait(at: context.eventLoop.now)
        if body != nil, idleSince == nil { idleSince = context.eventLoop.now }
        schedule(context)
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard context.channel.isActive, !isLingering else { return }
        let now = context.eventLoop.now
        let ofBody = hasFailed ? nil : body?.timeout(at: now).map { now + $0 }
        let ofIdleness = idleSince.map { $0 + idleTimeout }
        guard let wanted = [ofBody, response?.windowEnds, ofIdleness].compactMap({ $0 }).min() else { return }
        // An earlier timer schedules the next one itself.
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
        if let idleSince, now >= idleSince + idleTimeout {
            // Between requests no transfer ends, and one that failed is counted.
            if body != nil, !hasFailed { count("idle") }
            return close(context)
        }
        if let current = response, now >= current.windowEnds {
            response?.windowEnds = now + ResponsePace.window
            let waiting = waitingBytes(context.channel)
            if response?.pace.isTooSlow(waiting: waiting) == true { return cut(context, "answer_slow") }
            if !isResponding, waiting == 0 { response = nil }
        }
        if !hasFailed, let failure = body?.failure(at: now) {
            if isDraining { return cut(context, "body_\(failure.rawValue)") }
            abort(failure, "body_\(failure.rawValue)", context)
        }
        schedule(context)
    }

    /// Fails the body for its reader, which sends the error response.
    private func abort(_ failure: any Error, _ reason: String, _ context: ChannelHandlerContext) {
        count(reason)
        hasFailed = true
        endsAfterResponse = true
        context.fireErrorCaught(failure)
    }

    /// Leaves the rest of a body unread until the connection is closed. That is not at once: closing with bytes unread resets the
    /// connection, and the client may lose the response that it has not read yet.
    private func stopReading() {
        guard !hasStoppedReading else { return }
        count("drained")
        hasStoppedReading = true
    }

    /// Closes the connection at once.
    private func cut(_ context: ChannelHandlerContext, _ reason: String) {
        count(reason)
        close(context)
    }

    private func close(_ context: ChannelHandlerContext) {
        stopTimer()
        body = nil
        response = nil
        idleSince = nil
        context.close(promise: nil)
    }

    private func count(_ reason: String) {
        Counter(label: "rial_transfers_cut_total", dimensions: [("reason", reason)]).increment()
    }

    /// Closes the connection after the last response. If the client is still sending, closes the output only: an immediate close would lose
    /// the response.
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
