import CaptureProtocol
import Foundation
import Hummingbird
import Models
import Observability
import ServiceRuntime

/// `GET /health`: the public state of the dependencies. Has no envelope.
struct HealthController: Sendable {
    let readiness: Readiness

    private struct Health: Encodable {
        let status: String
        let database: String
        let broker: String
        let storage: String
        let version: String
    }

    func addRoutes(to routes: inout Routes) {
        routes.get("/health") { _, _ in try self.response() }
    }

    private func response() throws -> Response {
        let known = readiness.dependencies
        let word: (String) -> String = { known[$0] == true ? "connected" : "unreachable" }
        let isReady = readiness.isReady
        let health = Health(
            status: isReady ? "ok" : "degraded", database: word("database"), broker: word("broker"), storage: word("storage"),
            version: Product.version)
        return Response(
            status: isReady ? .ok : .serviceUnavailable, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: try WireJSON.encode(health))))
    }
}
