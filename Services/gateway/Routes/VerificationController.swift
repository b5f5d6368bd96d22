import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import Multipart

/// `POST /api/v1/verify-file` and `GET /api/v1/verify-hash/{sha256}` (SPEC §7).
struct VerificationController: Sendable {
    let verifier: FileVerifier
    let log: LogStatusReader
    let publicURL: String
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.post(APIPath.fileVerification) { request, context in try await self.verifyFile(request, context) }
        routes.get("\(APIPath.hashVerification)/{sha256}") { request, context in try await self.verifyHash(request, context) }
    }

    private func verifyFile(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let verification = try await verifier.verify(
            request.body, boundary: MultipartBoundary(of: request), declaredBytes: request.declaredBytes,
            from: ClientAddress(request, context, trusting: trustedProxies))
        return try await response(to: verification, context)
    }

    private func verifyHash(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let text = try context.parameters.require("sha256")
        guard text.utf8.count == 64, let digest = Hex.decode(text.lowercased()).flatMap({ ContentDigest(bytes: $0) }) else {
            throw APIError.invalid("sha256", "is not a SHA-256 in hex")
        }
        let verification = try await verifier.lookUp(digest, from: ClientAddress(request, context, trusting: trustedProxies))
        if case .noRecord = verification.verdict {
            throw APIError(.hashNotFound, "No record has a file with this SHA-256.", headers: headers(of: verification))
        }
        return try await response(to: verification, context)
    }

    private func response(to verification: FileVerification, _ context: GatewayContext) async throws -> Response {
        var status: LogStatus?
        if let capture = verification.verdict.capture { status = try await log.status(of: capture.id, capture.status, at: Date()) }
        return try Envelope.success(
            VerificationBody(verification, log: status, publicURL: publicURL), headers: headers(of: verification), context: context)
    }

    private func headers(of verification: FileVerification) -> HTTPFields {
        var fields = HTTPFields(verification.allowance)
        fields[.cacheControl] = "no-store"
        return fields
    }
}
