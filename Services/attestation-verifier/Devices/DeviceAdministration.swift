import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import Models
import Observability
import ServiceRuntime

/// Operator routes on the admin port: `POST /devices/{id}/revoke`, `POST /devices/{id}/restore` and `GET /devices/{id}/events`. All require
/// `RIAL_ADMIN_TOKEN`. Responses are JSON; `status` is a stable code.
struct DeviceAdministration {
    let devices: any DeviceRepository
    let authorization: AdminAuthorization
    let logger: Logger

    func addRoutes(to router: Router<AdminServer.Context>) {
        router.post("/devices/{id}/revoke") { request, context in try await self.change(.revoked, request, context) }
        router.post("/devices/{id}/restore") { request, context in try await self.change(.restored, request, context) }
        router.get("/devices/{id}/events") { request, context in try await self.events(request, context) }
    }

    private func change(_ action: DeviceAction, _ request: Request, _ context: AdminServer.Context) async throws -> Response {
        if let refused = refuse(request) { return refused }
        guard let id = DeviceID(try context.parameters.require("id")) else { return Self.answer(.badRequest, "device_id_invalid") }
        guard let body = try? await request.body.collect(upTo: OperatorNote.maximumBytes),
            let note = OperatorNote(Array(body.readableBytesView)), action == .revoked || note.since == nil
        else { return Self.answer(.badRequest, "body_invalid") }
        let isKnown: Bool
        do {
            isKnown = try await devices.apply(action, to: id, note)
        } catch {
            return unavailable(error)
        }
        guard isKnown else { return Self.answer(.notFound, "device_unknown") }
        Counter(label: "rial_device_changes_total", dimensions: [("action", action.rawValue)]).increment()
        logger.notice("device \(action.rawValue)", metadata: ["device_id": "\(id)", "by": "\(note.by)"])
        return Self.answer(.ok, action.rawValue)
    }

    private func events(_ request: Request, _ context: AdminServer.Context) async throws -> Response {
        if let refused = refuse(request) { return refused }
        guard let id = DeviceID(try context.parameters.require("id")) else { return Self.answer(.badRequest, "device_id_invalid") }
        do {
            guard let events = try await devices.events(of: id) else {
                return Self.answer(.notFound, "device_unknown")
            }
            return Self.json(.ok, try WireJSON.encode(["events": events]))
        } catch {
            return unavailable(error)
        }
    }

    private func refuse(_ request: Request) -> Response? {
        guard let refusal = authorization.refusal(request.headers) else { return nil }
        Counter(label: "rial_admin_requests_refused_total", dimensions: [("reason", refusal.rawValue)]).increment()
        var response = Self.answer(refusal == .unauthorized ? .unauthorized : .forbidden, refusal.rawValue)
        if refusal == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private func unavailable(_ error: any Error) -> Response {
        logger.warning("an operator's request could not be answered", metadata: ["error": "\(error)"])
        return Self.answer(.serviceUnavailable, "unavailable")
    }

    private static func answer(_ status: HTTPResponse.Status, _ word: String) -> Response {
        json(status, Array("{\"status\":\"\(word)\"}\n".utf8))
    }

    private static func json(_ status: HTTPResponse.Status, _ body: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
