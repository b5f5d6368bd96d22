import CaptureProtocol
import Foundation
import Hummingbird
import Models
import NIOCore

/// `GET /api/v1/captures/{id}/events`: server-sent events until the capture is final and its verdict stands in the public log (SPEC §2,
/// §14).
struct EventsController: Sendable {
    static let lifetime: Duration = .seconds(600)
    static let heartbeat: Duration = .seconds(15)
    /// How many streams may be open.
    static let limits = PermitLedger.Limits(total: 1000, perAddress: 10)
    let captures: any CaptureRepository
    let log: LogStatusReader
    let waiters: Waiters
    /// Counts the open streams.
    let streams: ConcurrencyLimit
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.get("\(APIPath.captures)/{id}/events") { request, context in try await self.stream(request, context) }
    }

    private func stream(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let id = CaptureID(try context.parameters.require("id")), try await captures.find(id) != nil else {
            throw APIError.noSuchCapture
        }
        let address = ClientAddress(request, context, trusting: trustedProxies).description
        guard request.method != .head else {
            return Response(status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"])
        }
        // Nobody would read it, and parts that wait to be read hold up the watch for the disconnect, and with it the stream's end.
        guard !request.headers.hasBody else { throw APIError(.payloadTooLarge, "A request for events has no body.") }
        let seen = EventCursor(request.headers[.lastEventID])
        let permit = try streams.acquire(address: address)
        // Watching for the client to disconnect reads ahead into the next request, so the connection serves no other.
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store", .connection: "close"],
            body: .init { writer in
                // Hold the permit until the stream ends; it ends at once if the client disconnects.
                defer { permit.release() }
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await self.send(id, after: seen, to: &writer)
                }
                try await writer.finish(nil)
            })
    }

    private func send(_ id: CaptureID, after cursor: EventCursor, to writer: inout any ResponseBodyWriter) async throws {
        var cursor = cursor
        var wait = LogWait()
        let end = ContinuousClock.now + Self.lifetime
        var quietUntil = ContinuousClock.now + Self.heartbeat
        try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
        while ContinuousClock.now < end {
            let row: CaptureRow
            do {
                guard let found = try await captures.find(id) else { return }
                row = found
            } catch is WithdrawnCapture {
                if let event = cursor.withdrawn() { try await writer.write(ByteBuffer(string: event)) }
                return
            }
            var events = cursor.advance(row, parts: try await captures.parts(of: id))
            var isOver = row.status != .processing
            let now = Date()
            let isWaitOver = wait.isOver(row.status, finalAt: row.completedAt ?? row.uploadedAt, at: now)
            if let status = try await log.status(of: row.id, row.status, at: now) {
                isOver = status.isSettled || isWaitOver
                if isOver, let event = cursor.advance(status) { events.append(event) }
            }
            for event in events { try await writer.write(ByteBuffer(string: event)) }
            if isOver { return }
            if !events.isEmpty { quietUntil = ContinuousClock.now + Self.heartbeat }
            if ContinuousClock.now >= quietUntil {
                try await writer.write(ByteBuffer(string: ": still here\n\n"))
                quietUntil = ContinuousClock.now + Self.heartbeat
            }
            try Task.checkCancellation()
            await waiters.wait(for: id.description)
        }
    }
}
