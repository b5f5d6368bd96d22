import CaptureProtocol
import CoreMetrics
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Observability
import Testing

@testable import Gateway

/// Tests a connection whose clock is controlled by the test.
@Suite("What a connection's transfers may take")
struct TransferHandlerTests {
    @Test("a body that is too slow ends as an error for its reader, and its response as the connection's last", arguments: [12, 14])
    func slowBody(pause: Int64) throws {
        let connection = try Connection()
        try connection.request(length: 10_000_000)
        for _ in 0..<3 where connection.refusals.isEmpty {
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(pause))
            try connection.body(1)
        }
        #expect(connection.refusals.map(\.code) == [.serviceUnavailable])
        let head = try connection.answer(.serviceUnavailable)
        #expect(head.headerFields[.connection] == "close")
        #expect(connection.closes == [.output])
        connection.channel.embeddedEventLoop.advanceTime(by: TransferHandler.lingering)
        #expect(connection.closes.last == .all)
    }

    @Test("a body that is stopped ends as an error for its reader, once, and its response as the connection's last")
    func stoppedBody() throws {
        let connection = try Connection()
        try connection.request(length: 1000)
        try connection.body(10)
        for _ in 0..<2 { connection.channel.pipeline.fireUserInboundEventTriggered(BodyStop()) }
        #expect(connection.stops == 1)
        #expect(try connection.answer(.conflict).headerFields[.connection] == "close")
        #expect(connection.closes == [.output])
    }

    @Test("a body that has ended is not stopped, nor the one after it")
    func stoppedTooLate() throws {
        let connection = try Connection()
        try connection.request(length: 10)
        try connection.body(10)
        try connection.end()
        connection.channel.pipeline.fireUserInboundEventTriggered(BodyStop())
        #expect(try connection.answer(.created).headerFields[.connection] == nil)
        try connection.request(length: 10)
        try connection.body(10)
        #expect(connection.stops == 0)
    }

    @Test("a body within its pace is let alone, and so is the connection after it")
    func soundBody() throws {
        let connection = try Connection()
        try connection.request(length: 2_000_000)
        for _ in 0..<20 {
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
            try connection.body(100_000)
        }
        try connection.end()
        #expect(connection.refusals.isEmpty)
        #expect(try connection.answer(.created).headerFields[.connection] == nil)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(3600))
        #expect(connection.closes.isEmpty && connection.refusals.isEmpty)
    }

    @Test("a client that waits to be told owes nothing of its body before that, and all of it from then on")
    func awaited() throws {
        let connection = try Connection(idleTimeout: .seconds(60))
        try connection.request(length: 10_000_000, expecting: true)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
        #expect(connection.closes.isEmpty && connection.refusals.isEmpty)
        try connection.write(.head(HTTPResponse(status: .continue)))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(16))
        #expect(connection.refusals.map(\.code) == [.serviceUnavailable] && connection.closes.isEmpty)
    }

    @Test("a client that is told and sends nothing ends with the idle timeout, counted from then on")
    func idleAwaited() throws {
        let connection = try Connection(idleTimeout: .seconds(4))
        try connection.request(length: 100_000, expecting: true)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
        try connection.write(.head(HTTPResponse(status: .continue)))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(3))
        #expect(connection.closes.isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.closes == [.all])
    }

    @Test("what one request is told does not begin the wait of the next, which came behind it")
    func awaitedBehindAnother() throws {
        let connection = try Connection(idleTimeout: .seconds(60))
        try connection.request(length: 10, expecting: true)
        try connection.body(10)
        try connection.end()
        try connection.request(length: 10_000_000, expecting: true)
        try connection.write(.head(HTTPResponse(status: .continue)))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
        #expect(connection.closes.isEmpty && connection.refusals.isEmpty)
        #expect(try connection.answer(.created).headerFields[.connection] == nil)
        try connection.write(.head(HTTPResponse(status: .continue)))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(16))
        #expect(connection.refusals.map(\.code) == [.serviceUnavailable] && connection.closes.isEmpty)
    }

    @Test("a client that is refused before it was told may send its body or not, so its connection ends")
    func refusedAwaited() throws {
        let connection = try Connection()
        try connection.request(length: 500_000, expecting: true)
        #expect(try connection.answer(.unauthorized).headerFields[.connection] == "close")
        #expect(connection.closes == [.output])
        connection.channel.embeddedEventLoop.advanceTime(by: TransferHandler.lingering)
        #expect(connection.closes == [.output, .all])
    }

    @Test("a client that was told, or did not wait for it, is like any other", arguments: [true, false])
    func refusedAfterwards(isTold: Bool) throws {
        let connection = try Connection()
        try connection.request(length: 500_000, expecting: true)
        if isTold { try connection.write(.head(HTTPResponse(status: .continue))) }
        try connection.body(100_000)
        #expect(try connection.answer(.unauthorized).headerFields[.connection] == nil)
        for _ in 0..<4 { try connection.body(100_000) }
        try connection.end()
        #expect(connection.closes.isEmpty)
    }

    @Test("while what came is worked on, the client's time stands still")
    func backPressure() throws {
        let connection = try Connection()
        try connection.request(length: 10, reading: false)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
        #expect(connection.refusals.isEmpty)
        connection.channel.read()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(16))
        #expect(connection.refusals.count == 1)
    }

    @Test("a connection without a request ends after the idle timeout, counted from its last response")
    func idle() throws {
        let connection = try Connection(idleTimeout: .seconds(30))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        try connection.request(length: 10)
        try connection.body(10)
        try connection.end()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
        _ = try connection.answer(.created)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(connection.closes.isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.closes == [.all])
    }

    @Test("a connection that never sends a request ends after the idle timeout")
    func neverUsed() throws {
        let connection = try Connection(idleTimeout: .seconds(30))
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(connection.closes == [.all])
    }

    @Test("a body that pauses for the idle timeout ends its connection, but not while the gateway is busy with what came")
    func idleBody() throws {
        let connection = try Connection(idleTimeout: .seconds(4))
        try connection.request(length: 100_000)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(3))
        try connection.body(20_000, reading: false)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(300))
        #expect(connection.closes.isEmpty && connection.refusals.isEmpty)
        connection.channel.read()
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(3))
        #expect(connection.closes.isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(connection.closes == [.all])
    }

    /// The transfers that are counted as ended, by reason.
    private func ended(_ transfers: () throws -> Void) throws -> [String] {
        let metrics = MetricsRegistry()
        try withMetricsFactory(metrics, transfers)
        return metrics.exposition().split(separator: "\n").filter { $0.hasPrefix("rial_transfers_cut_total{") }.map(String.init)
    }

    @Test("a body that pauses for the idle timeout counts as ended, once, and a connection without one does not")
    func idleCounted() throws {
        let ofBody = try ended {
            let connection = try Connection(idleTimeout: .seconds(4))
            try connection.request(length: 100_000)
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(4))
            #expect(connection.closes == [.all])
        }
        #expect(ofBody == ["rial_transfers_cut_total{reason=\"idle\"} 1"])
        let ofSlowBody = try ended {
            let connection = try Connection(idleTimeout: .seconds(20))
            try connection.request(length: 10_000_000)
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(16))
            #expect(connection.refusals.count == 1)
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(4))
            #expect(connection.closes == [.all])
        }
        #expect(ofSlowBody == ["rial_transfers_cut_total{reason=\"body_slow\"} 1"])
        let betweenRequests = try ended {
            let connection = try Connection(idleTimeout: .seconds(4))
            try connection.request(length: 10)
            try connection.body(10)
            try connection.end()
            _ = try connection.answer(.created)
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(4))
            #expect(connection.closes == [.all])
        }
        #expect(betweenRequests.isEmpty)
    }

    @Test("of a refused request's body one MiB is read and no more, and its client has time to take the answer")
    func drained() throws {
        let metrics = try ended {
            let connection = try Connection()
            try connection.request(length: 60_000_000)
            try connection.body(64_000)
            #expect(try connection.answer(.unauthorized).headerFields[.connection] == "close")
            var taken = 0
            var reads = connection.reads
            while taken < 60_000_000 {
                try connection.body(64_000)
                taken += 64_000
                guard connection.reads > reads else { break }
                reads = connection.reads
            }
            #expect(taken > TransferHandler.drainBytes && taken <= TransferHandler.drainBytes + 64_000)
            // What the decoder had taken already.
            try connection.body(64_000)
            #expect(connection.reads == reads && connection.closes == [.output])
            connection.channel.embeddedEventLoop.advanceTime(by: TransferHandler.lingering)
            #expect(connection.closes == [.output, .all])
        }
        #expect(metrics == ["rial_transfers_cut_total{reason=\"drained\"} 1"])
    }

    @Test("a refused request's short body is read to its end, and the connection stays")
    func shortBody() throws {
        let connection = try Connection()
        try connection.request(length: 500_000)
        #expect(try connection.answer(.unauthorized).headerFields[.connection] == nil)
        for _ in 0..<5 { try connection.body(100_000) }
        try connection.end()
        #expect(connection.closes.isEmpty)
        try connection.request(length: 0)
        try connection.end()
        #expect(try connection.answer(.ok).headerFields[.connection] == nil)
    }

    @Test("a refused request's short body is not awaited where the connection ends after the answer", arguments: [true, false])
    func shortBodyOfLast(isAskedFor: Bool) throws {
        let connection = try Connection()
        try connection.request(length: 500_000, closing: isAskedFor)
        for _ in 0..<12 { try connection.body(1, reading: false) }
        let head = try connection.answer(.unauthorized, closing: !isAskedFor)
        #expect(head.headerFields[.connection] == "close")
        #expect(connection.closes == [.output])
        connection.channel.embeddedEventLoop.advanceTime(by: TransferHandler.lingering)
        #expect(connection.closes == [.output, .all])
    }

    @Test("a refused request's body that does not come ends the connection")
    func stalledRefusal() throws {
        let connection = try Connection()
        try connection.request(length: 500_000)
        _ = try connection.answer(.unauthorized)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(16))
        #expect(connection.closes == [.all] && connection.refusals.isEmpty)
    }

    @Test("an answer that nobody takes ends the connection; one that is taken does not")
    func slowReader() throws {
        let connection = try Connection()
        try connection.request(length: 0)
        try connection.end()
        try connection.write(.head(HTTPResponse(status: .ok)))
        var sent = 0
        for _ in 0..<6 {
            try connection.write(.body(ByteBuffer(repeating: 1, count: 60_000)))
            sent += 60_000
            connection.waiting = 50_000
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        }
        #expect(connection.closes.isEmpty)
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(20))
        #expect(connection.closes == [.all])
    }

    @Test("answers that were written whole and are not taken end the connection too, also when more are asked for")
    func slowReaderOfMany() throws {
        let connection = try Connection()
        connection.waiting = 90_000
        for _ in 0..<3 {
            try connection.request(length: 0)
            try connection.end()
            _ = try connection.answer(.ok)
            #expect(connection.closes.isEmpty)
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        }
        #expect(connection.closes == [.all])
    }

    @Test("a connection that has taken its answers may rest")
    func rest() throws {
        let connection = try Connection()
        connection.waiting = 90_000
        try connection.request(length: 0)
        try connection.end()
        _ = try connection.answer(.ok)
        connection.waiting = 0
        connection.channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(connection.closes.isEmpty)
    }

    @Test("an event stream may be silent")
    func silence() throws {
        let connection = try Connection()
        try connection.request(length: 0)
        try connection.end()
        try connection.write(.head(HTTPResponse(status: .ok)))
        for _ in 0..<60 {
            try connection.write(.body(ByteBuffer(string: ": still here\n\n")))
            connection.channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        }
        #expect(connection.closes.isEmpty)
    }
}

/// A handler under test between a socket that records outbound operations, and a reader that records errors.
private final class Connection {
    let channel = EmbeddedChannel()
    private let socket = Socket()
    private let reader = Reader()
    var waiting: Int {
        get { socket.waiting }
        set { socket.waiting = newValue }
    }
    var closes: [CloseMode] { socket.closes }
    /// How often the socket was asked for more.
    var reads: Int { socket.reads }
    var refusals: [APIError] { reader.refusals }
    var stops: Int { reader.stops }

    init(idleTimeout: TimeAmount = .hours(24)) throws {
        let socket = socket
        try channel.pipeline.syncOperations.addHandlers([socket, TransferHandler(idleTimeout: idleTimeout) { _ in socket.waiting }, reader])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    func request(length: Int, reading: Bool = true, closing: Bool = false, expecting: Bool = false) throws {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "rial.test", path: "/")
        head.headerFields[.contentLength] = String(length)
        if closing { head.headerFields[.connection] = "close" }
        if expecting { head.headerFields[.expect] = "100-continue" }
        try channel.writeInbound(HTTPRequestPart.head(head))
        if reading { channel.read() }
    }

    func body(_ bytes: Int, reading: Bool = true) throws {
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: bytes)))
        if reading { channel.read() }
    }

    func end() throws {
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.read()
    }

    func write(_ part: HTTPResponsePart) throws { try channel.writeOutbound(part) }

    /// Sends a whole response and returns its head as it was written.
    func answer(_ status: HTTPResponse.Status, closing: Bool = false) throws -> HTTPResponse {
        try write(.head(HTTPResponse(status: status, headerFields: closing ? [.connection: "close"] : [:])))
        try write(.body(ByteBuffer(string: "{}")))
        try write(.end(nil))
        var head: HTTPResponse?
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let found) = part { head = found }
        }
        return try #require(head)
    }

    final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        var waiting = 0
        var closes: [CloseMode] = []
        var reads = 0

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closes.append(mode)
            promise?.succeed(())
        }
    }

    final class Reader: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        var refusals: [APIError] = []
        var stops = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if let refusal = APIError(refusal: error) { refusals.append(refusal) }
            if error is BodyStop { stops += 1 }
        }
    }
}
