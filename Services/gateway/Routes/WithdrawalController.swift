import CaptureProtocol
import HTTPTypes
import Hummingbird

/// `DELETE /api/v1/captures/{id}`: the owner withdraws a capture (SPEC §6).
struct WithdrawalController: Sendable {
    let authenticator: DeviceAuthenticator
    let withdrawals: any WithdrawalRepository
    let waiters: Waiters
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.delete("\(APIPath.captures)/{id}") { request, context in try await self.withdraw(request, context) }
    }

    private func withdraw(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let headers = try SignatureHeaders(request.headers)
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: false)
        try await authenticator.finish(pending, bodyDigest: ContentDigest(of: [UInt8]()))
        guard let id = CaptureID(try context.parameters.require("id")) else { throw APIError.noSuchCapture }
        switch try await withdrawals.withdraw(id, by: pending.device.id) {
        case .unknown: throw APIError.noSuchCapture
        case .foreign: throw APIError(.forbidden, "Only the device that sent a capture can withdraw it.")
        case .withdrawn:
            // Open event streams of this instance end now; those of others when they read the event, or look again.
            waiters.wake(id.description)
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
    }
}
