import Logging
import CaptureProtocol
import Crypto
import Foundation
import Hummingbird
import Metrics
import Models
import Multipart
import ObjectStorage
import Observability

/// `POST /api/v1/captures` and `GET /api/v1/captures/{id}`.
struct CapturesController: Sendable {
    let authenticator: DeviceAuthenticator
    let captures: CaptureRepository
    let intakes: IntakeRepository
    let storage: S3Client
    let uploads: ConcurrencyLimit
    let buckets: TokenBuckets
    let limits: RateLimits
    let links: MediaLinks
    let publicURL: String
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.post("/api/v1/captures") { request, context in try await self.submit(request, context) }
        routes.get("/api/v1/captures/{id}") { request, context in try await self.show(request, context) }
    }

    private struct Accepted: Encodable {
        let capture_id: CaptureID
        let status: CaptureStatus
        let verification_url: String
    }

    private func submit(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let headers = try SignatureHeaders(request.headers)
        let boundary = try MultipartBoundary(of: request)
        if let length = request.declaredBytes, length > SizeLimits.capture { throw CaptureError.tooLarge }
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: true)
        let device = pending.device.id
        let rate = limits.captures(ofVerified: pending.device.isVerified)
        try await buckets.peek(rate, device.description)
        try await buckets.peek(limits.capturesOfAddress, address.description)
        let permit = try uploads.acquire(
            address: address.description, device: device.description, isVerified: pending.device.isVerified)
        defer { permit.release() }
        let id = CaptureID()
        let intake = BodyIntake(storage: storage, intakes: intakes, capture: id, device: device, boundary: boundary)
        let submission: CaptureSubmission
        var fields: HTTPFields
        do {
            let (body, bodyDigest) = try await intake.read(request.body)
            try await authenticator.finish(pending, bodyDigest: bodyDigest)
            submission = try CaptureSubmission(body)
            fields = HTTPFields(try await buckets.debit(rate, device.description))
            try await buckets.debit(limits.capturesOfAddress, address.description)
            try await intake.keepMetadata(submission.metadataBytes)
            FailPoint.reached("gateway.capture.intake")
        } catch {
            await Self.discard(intake)
            throw error
        }
        switch try await record(id, submission, intake, device: device, context) {
        case .new:
            FailPoint.reached("gateway.capture.committed")
            Counter(label: "rial_captures_accepted_total").increment()
            fields[.location] = "/api/v1/captures/\(id)"
            return try accepted(id, .processing, .created, fields, context)
        case .known(let known):
            // A complete capture has all it needs.
            if known.status == .complete {
                await Self.discard(intake)
            } else if try await !intakes.leave(id, to: known.id) {
                throw CaptureError.intakeExpired
            }
            fields[.location] = "/api/v1/captures/\(known.id)"
            return try accepted(known.id, known.status, .ok, fields, context)
        }
    }

    /// Records the capture, whatever happens to an answer: nothing is deleted unless the database says that nothing was recorded.
    private func record(
        _ id: CaptureID, _ submission: CaptureSubmission, _ intake: BodyIntake, device: DeviceID, _ context: GatewayContext
    ) async throws -> Recorded {
        do {
            return try await captures.record(id, submission, device: device, receivedAt: Date())
        } catch {
            let outcome = await intakes.outcome(of: id)
            Counter(label: "rial_recordings_in_doubt_total", dimensions: [("outcome", "\(outcome)")]).increment()
            context.logger.warning(
                "a capture's recording ended in an error", error: error, metadata: ["capture_id": "\(id)", "outcome": "\(outcome)"])
            switch outcome {
            case .recorded: return .new
            case .abandoned: await Self.discard(intake)
            case .unknown: break
            }
            throw error
        }
    }

    /// To its end, also when the client has gone and its request with it.
    private static func discard(_ intake: BodyIntake) async { await Task { await intake.discard() }.value }

    private func accepted(
        _ id: CaptureID, _ status: CaptureStatus, _ code: HTTPResponse.Status, _ headers: HTTPFields, _ context: GatewayContext
    ) throws -> Response {
        try Envelope.success(
            Accepted(capture_id: id, status: status, verification_url: "\(publicURL)/verify/\(id)"), status: code, headers: headers,
            context: context)
    }

    private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let id = CaptureID(try context.parameters.require("id")) else {
            throw APIError(.captureNotFound, "There is no such capture.")
        }
        let isSigned = SignatureHeaders.isAny(in: request.headers)
        var reader: DeviceID?
        if isSigned {
            let address = ClientAddress(request, context, trusting: trustedProxies)
            let pending = try await authenticator.begin(
                SignatureHeaders(request.headers), request, from: address, allowsVersion1: false)
            try await authenticator.finish(pending, bodyDigest: ContentDigest(of: [UInt8]()))
            reader = pending.device.id
        }
        guard let row = try await captures.find(id) else { throw APIError(.captureNotFound, "There is no such capture.") }
        let view = CaptureView(row, isOwner: reader == row.deviceID, links: links, publicURL: publicURL, at: Date())
        var headers: HTTPFields = [
            .cacheControl: isSigned ? "private, no-store" : "no-cache",
            .vary: SignatureHeaders.names.map(\.rawName).joined(separator: ", "),
        ]
        let tag = "\"\(Hex.encode(SHA256.hash(data: try WireJSON.encode(view)).prefix(16)))\""
        headers[.eTag] = tag
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: headers) }
        return try Envelope.success(view, headers: headers, context: context)
    }
}
