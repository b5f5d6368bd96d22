import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Metrics
import Multipart
import NIOCore
import NIOHTTPTypes

/// `POST /api/v1/captures`, or `…/video`, by a client that can go on with an upload that broke off (SPEC §2, "Uploads that resume").
struct ResumableCreation: Sendable {
    let authenticator: DeviceAuthenticator
    let resumable: ResumableUploads
    let permits: ConcurrencyLimit
    let responses: UploadResponses

    /// - Returns: `nil` for a plain upload.
    func respond(
        to request: Request, as type: CaptureType, _ headers: SignatureHeaders, from address: ClientAddress, _ context: GatewayContext
    ) async throws -> Response? {
        let field = request.headers[.uploadDraftInteropVersion]
        guard field != nil || request.headers[.uploadComplete] != nil else { return nil }
        return try await UploadResponses.naming(InteropVersion(field: field) ?? .latest) {
            guard let offer = try UploadOffer(request.headers) else { return nil }
            return try await create(offer, type, headers, request, from: address, context)
        }
    }

    private func create(
        _ offer: UploadOffer, _ type: CaptureType, _ headers: SignatureHeaders, _ request: Request, from address: ClientAddress,
        _ context: GatewayContext
    ) async throws -> Response {
        _ = try MultipartBoundary(of: request)
        guard let contentType = request.headers[.contentType], contentType.utf8.count <= 1000 else {
            throw UploadError.fields([.init(name: HTTPField.Name.contentType.rawName, problem: "must be at most 1000 bytes")])
        }
        guard offer.length <= type.bodyLimit else { throw CaptureError.tooLarge(type.bodyLimit) }
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: false)
        try await resumable.acceptance.rates.peek(type, of: pending.device, from: address)
        let permit =
            offer.isEmpty
            ? nil
            : try permits.acquire(
                address: address.description, device: pending.device.id.description, isVerified: pending.device.isVerified)
        defer { permit?.release() }
        // The digest in the header is the one that the device signed; what comes is compared with it at the end.
        try await authenticator.finish(pending, bodyDigest: offer.digest)
        try await resumable.acceptance.rates.debitCreation(type, of: pending.device, from: address)
        let token = UploadToken.random()
        let location = responses.address(token)
        switch try await resumable.create(offer, type, contentType: contentType, device: pending.device.id, token: token) {
        case .recorded(_, let answer): return try responses.accepted(answer, at: location, offer.version, context)
        case .found(let upload):
            Counter(label: "rial_uploads_resumed_total").increment()
            return responses.created(upload, at: location, offer.version)
        case .new(let upload, let replaced):
            // The client waits for its 104.
            if let replaced { Task { await resumable.discard(replaced) } }
            if offer.isEmpty { return responses.created(upload, at: location, offer.version) }
            return try await resumable.runs.holding(upload.id) { holder in
                try await receive(offer, upload, holder, at: location, request, from: address, context)
            }
        }
    }

    private func receive(
        _ offer: UploadOffer, _ upload: Upload, _ holder: UploadRuns.Holder, at location: String, _ request: Request,
        from address: ClientAddress, _ context: GatewayContext
    ) async throws -> Response {
        if offer.takesInterimResponses {
            let interim = responses.resumptionSupported(upload, at: location, offer.version)
            context.channel.writeAndFlush(HTTPResponsePart.head(interim), promise: nil)
        }
        return try await context.breakingOff(offer.takesInterimResponses) {
            let received = try await resumable.receive(
                request.body, length: request.declaredBytes.map(Int64.init), into: upload, holder, abort: context.stopBody)
            guard offer.isComplete else {
                await resumable.release(received.upload)
                return responses.created(received.upload, at: location, offer.version)
            }
            let (answer, allowance) = try await resumable.complete(
                received, begun: context.begun, from: address, publicURL: responses.publicURL, logger: context.logger)
            return try responses.accepted(answer, allowance, at: location, offer.version, context)
        }
    }
}

extension GatewayContext {
    /// Ends the connection if `respond` fails through the server's fault: a client that knows the upload's address resumes after a break,
    /// but takes a 5xx for the end of the upload.
    /// - Parameter knowsAddress: else the response is sent.
    func breakingOff(_ knowsAddress: Bool, _ respond: () async throws -> Response) async throws -> Response {
        do {
            return try await respond()
        } catch {
            if knowsAddress, (APIError(refusal: error)?.code.status ?? .internalServerError).kind == .serverError {
                channel.close(promise: nil)
            }
            throw error
        }
    }

    /// Ends the request's body with ``BodyStop``.
    var stopBody: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireUserInboundEventTriggered(BodyStop()) }
    }
}
