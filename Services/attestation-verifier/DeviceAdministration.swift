import Foundation
import Hummingbird
import Logging
import Models
import Observability
import Persistence

/// Operator's routes on the admin port: `POST /devices/{id}/revoke`.
struct DeviceAdministration {
    let database: PostgresPool
    let logger: Logger

    func addRoutes(to router: Router<AdminServer.Context>) {
        router.post("/devices/{id}/revoke") { _, context in
            guard let id = DeviceID(try context.parameters.require("id")) else {
                return Self.answer(.badRequest, "the device id is not a UUID")
            }
            let isKnown = try await database.withConnection { try await DeviceRepository($0).revoke(id) }
            guard isKnown else { return Self.answer(.notFound, "no such device") }
            logger.notice("device revoked", metadata: ["device_id": "\(id)"])
            return Self.answer(.ok, "revoked")
        }
    }

    private static func answer(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: "{\"status\":\"\(text)\"}\n")))
    }
}
