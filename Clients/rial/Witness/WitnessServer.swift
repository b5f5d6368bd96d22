import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Observability
import TransparencyLog

/// The HTTP interface of a witness (c2sp.org/tlog-witness, "HTTP Interface").
struct WitnessServer: Sendable {
    /// A hundred signature lines of the largest kind do not fit; a log's checkpoint with some witnesses' does, many times.
    static let maximumBodyBytes = 128 * 1024
    static let maximumConnections = 256
    /// For a request to arrive, and for a connection without one to stay open.
    private static let timeout = Duration.seconds(10)

    let logs: WitnessedLogs
    let logger: Logger
    let now: @Sendable () -> Date

    /// Serves until SIGTERM or SIGINT; requests in progress are answered.
    func run(on address: ListenAddress) async throws {
        var quiet = logger
        quiet.logLevel = .warning
        let server = HTTPServerBuilder.serving(
            HTTP1Channel.Configuration(
                idleTimeout: TimeAmount(Self.timeout),
                httpDecoderConfiguration: .init(maxHeaderFieldSize: 4096, maxHeaderListSize: 8192, maxHeaderFieldCount: 50)))
        let application = Application(
            router: router(), server: server,
            configuration: .init(
                address: .hostname(address.host, port: address.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
            onServerRunning: { channel in logger.notice("listening on \(address.host):\(channel.localAddress?.port ?? address.port)") },
            logger: quiet)
        try await application.runService()
    }

    func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.post("add-checkpoint") { request, _ in await add(request) }
        router.get(":log/checkpoint") { _, context in await checkpoint(of: try context.parameters.require("log")) }
        return router
    }

    private func checkpoint(of name: String) async -> Response {
        guard let note = await logs[name: name]?.checkpoint else {
            return Self.text(.notFound, "No checkpoint of such a log was cosigned.\n")
        }
        var response = Self.text(.ok, note.bytes)
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    private func add(_ request: Request) async -> Response {
        let arriving = await withTimeout(Self.timeout) {
            do { return Array(try await request.body.collect(upTo: Self.maximumBodyBytes).readableBytesView) as [UInt8]? } catch {
                return nil
            }
        }
        guard let arriving else { return Self.text(.requestTimeout, "The request took too long.\n") }
        guard let body = arriving else { return Self.text(.contentTooLarge, "A request has at most \(Self.maximumBodyBytes) bytes.\n") }
        let submission: CheckpointSubmission
        do { submission = try CheckpointSubmission(body) } catch {
            return Self.text(HTTPResponse.Status(code: WitnessAnswer.refusal(of: error).status), "\(error)\n")
        }
        guard let log = logs[submission.checkpoint.origin] else { return Self.text(.notFound, "The log is not known here.\n") }
        do {
            let answer = try await log.answer(submission, at: UInt64(max(1, now().timeIntervalSince1970)))
            var response = Self.text(HTTPResponse.Status(code: answer.status), answer.body)
            response.headers[.contentType] = answer.contentType
            return response
        } catch {
            logger.error("\(log.origin): nothing was cosigned: \(error)")
            return Self.text(.internalServerError, "The witness could not store what it would have cosigned.\n")
        }
    }

    private static func text(_ status: HTTPResponse.Status, _ text: String) -> Response { self.text(status, Array(text.utf8)) }

    private static func text(_ status: HTTPResponse.Status, _ bytes: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
