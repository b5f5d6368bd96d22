import HTTPTypes
import Metrics
import NIOCore
import NIOHTTPTypes

/// Bounds what a connection's requests and answers may take: bodies have a deadline and a least rate, answers a least rate, and of the body
/// of a request that was answered before it was read no more than ``drainBytes`` is taken.
///
/// Sits between the HTTP codec and what reads requests. A body that is given up ends as an ``APIError`` for whoever reads it; its answer
/// says `Connection: close`, and the connection is closed after it.
final class TransferHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Read and forgotten after an answer, so that a client that sends first and reads then finds it.
    static let drainBytes: Int64 = 1024 * 1024
    /// How long a connection that ends waits for its client to take the answer.
    static let lingering = TimeAmount.seconds(5)

    /// Bytes that a channel was given and could not send yet.
    private let waitingBytes: (any Channel) -> Int
    private var requests = 0
    private var answers = 0
    /// Of the request that is arriving; `nil` between requests.
    private var body: BodyPace?
    /// Of the arriving body's declared length.
    private var remaining: Int64?
    private var drained: Int64 = 0
    /// Of the answers that are leaving: also of one that was written whole and has not been taken, as answers wait for one another.
    private var answer: (pace: AnswerPace, windowEnds: NIODeadline)?
    private var isAnswering = false
    private var hasFailed = false
    private var endsAfterAnswer = false
    /// The last answer was written: all that is left is to close.
    private var isLingering = false
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    init(
        waitingBytes: @escaping (any Channel) -> Int = {
            // Known to every channel that is a socket.
            (try? $0.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
        }
    ) { self.waitingBytes = waitingBytes }

    /// The answer to the request whose body arrives has been sent.
    private var isDraining: Bool { body != nil && answers >= requests }

    func handlerRemoved(context: ChannelHandlerContext) { stopTimer() }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        body = nil
        answer = nil
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
            if answer == nil { answer = (AnswerPace(), context.eventLoop.now + AnswerPace.window) }
            isAnswering = true
            // More would come than is read: the client learns that this was the last answer.
            if body != nil, answers + 1 == requests, remaining.map({ $0 > Self.drainBytes }) ?? true { endsAfterAnswer = true }
            if endsAfterAnswer { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head:
            context.write(data, promise: promise)
        case .body(let bytes):
            answer?.pace.write(bytes.readableBytes)
            context.write(data, promise: promise)
        case .end:
            answers += 1
            isAnswering = false
            guard endsAfterAnswer, answers >= requests else { return context.write(data, promise: promise) }
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
        guard let wanted = [ofBody, answer?.windowEnds].compactMap({ $0 }).min() else { return }
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
        if let current = answer, now >= current.windowEnds {
            answer?.windowEnds = now + AnswerPace.window
            let waiting = waitingBytes(context.channel)
            if answer?.pace.isTooSlow(waiting: waiting) == true { return cut(context, "answer_slow") }
            if !isAnswering, waiting == 0 { answer = nil }
        }
        if !hasFailed, let failure = body?.failure(at: now) {
            if isDraining { return cut(context, "body_\(failure.rawValue)") }
            give(up: failure, context)
        }
        schedule(context)
    }

    // MARK: Ends

    /// Whoever reads the body learns of it and answers.
    private func give(up failure: BodyPace.Failure, _ context: ChannelHandlerContext) {
        count("body_\(failure.rawValue)")
        hasFailed = true
        endsAfterAnswer = true
        // The network's fault as a rule: the same may be sent again.
        context.fireErrorCaught(
            APIError.retryLater(
                .serviceUnavailable, failure == .late ? "The body was not complete in time." : "The body came too slowly.", seconds: 1))
    }

    /// Ends the connection without further ado.
    private func cut(_ context: ChannelHandlerContext, _ reason: String) {
        count(reason)
        stopTimer()
        body = nil
        answer = nil
        context.close(promise: nil)
    }

    private func count(_ reason: String) {
        Counter(label: "rial_transfers_cut_total", dimensions: [("reason", reason)]).increment()
    }

    /// The last answer was sent. A client that is still sending would lose it if the connection were closed at once.
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
