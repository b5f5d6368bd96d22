import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Metrics

/// An upload at its address (SPEC §2, "Uploads that resume"). Whoever has the address may go on with the upload; it is in no log.
struct UploadsController: Sendable {
    static let partialUpload = "application/partial-upload"
    let resumable: ResumableUploads
    let permits: ConcurrencyLimit
    let responses: UploadResponses
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.options("/api/v1/captures") { request, _ in self.options(request) }
        routes.head("/api/v1/uploads/{token}") { request, context in try await self.inVersion(of: request, context, self.state) }
        routes.get("/api/v1/uploads/{token}") { request, context in try await self.inVersion(of: request, context, self.answer) }
        routes.patch("/api/v1/uploads/{token}") { request, context in try await self.inVersion(of: request, context, self.append) }
        routes.delete("/api/v1/uploads/{token}") { request, context in try await self.inVersion(of: request, context, self.cancel) }
    }

    private typealias Handler = (Upload, InteropVersion, Request, GatewayContext) async throws -> Response

    private func inVersion(of request: Request, _ context: GatewayContext, _ handler: Handler) async throws -> Response {
        let known = InteropVersion(field: request.headers[.uploadDraftInteropVersion])
        return try await UploadResponses.naming(known ?? .latest) {
            let upload = try await resumable.find(try context.parameters.require("token"))
            guard let known else {
                throw UploadError.fields([.init(name: HTTPField.Name.uploadDraftInteropVersion.rawName, problem: "must be 3 to 8")])
            }
            return try await handler(upload, known, request, context)
        }
    }

    private func options(_ request: Request) -> Response {
        let version = InteropVersion(field: request.headers[.uploadDraftInteropVersion]) ?? .latest
        return Response(
            status: .noContent,
            headers: [
                .acceptPatch: Self.partialUpload, .uploadDraftInteropVersion: String(version.rawValue),
                .uploadLimit: version.limit(maximumBytes: SizeLimits.capture, seconds: 24 * 3600),
            ])
    }

    private func state(_ upload: Upload, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        var upload = upload
        if upload.state == .open {
            do {
                upload = try await resumable.claim(upload, adding: false)
            } catch UploadError.completed {
                upload = try await resumable.find(try context.parameters.require("token"))
            }
        }
        var headers = responses.state(upload, version)
        headers[.uploadLength] = String(upload.length)
        headers[.contentLocation] = upload.answer.map { UploadResponses.path($0.capture.captureID) }
        return Response(status: .noContent, headers: headers)
    }

    private func answer(_ upload: Upload, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        guard let answer = upload.answer else { throw UploadError.incomplete }
        let path = UploadResponses.path(answer.capture.captureID)
        var headers = responses.state(upload, version)
        headers[.contentLocation] = path
        return try Envelope.success(answer.capture, headers: headers, context: context)
    }

    private func cancel(_ upload: Upload, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        if let answer = upload.answer { throw UploadError.completed(answer.capture.captureID) }
        await resumable.cancel(upload)
        return Response(status: .noContent, headers: [.uploadDraftInteropVersion: String(version.rawValue)])
    }

    private func append(_ upload: Upload, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        let append = try UploadAppend(request.headers, version: version)
        if let answer = upload.answer { throw UploadError.completed(answer.capture.captureID) }
        guard append.uploadLength == nil || append.uploadLength == upload.length else { throw UploadError.inconsistentLength }
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let permit = try permits.acquire(
            address: address.description, device: upload.device.description,
            isVerified: try await resumable.devices.find(upload.device)?.isVerified ?? false)
        defer { permit.release() }
        let claimed = try await resumable.claim(upload, adding: true)
        try await check(append, against: claimed)
        if claimed.offset > 0, append.contentLength != 0 { Counter(label: "rial_uploads_resumed_total").increment() }
        let now = try await resumable.receive(request.body, length: append.contentLength, into: claimed, abort: context.stopBody)
        guard append.isComplete else {
            await resumable.release(now)
            return Response(status: .noContent, headers: responses.state(now, version))
        }
        let (answer, allowance) = try await resumable.complete(now, from: address, publicURL: responses.publicURL, logger: context.logger)
        return try responses.accepted(answer, allowance, at: nil, version, context)
    }

    /// Compares a request with the upload that it has claimed, before its content is read.
    private func check(_ append: UploadAppend, against upload: Upload) async throws {
        let rest = upload.length - upload.offset
        if append.offset != upload.offset {
            await resumable.release(upload)
            throw UploadError.offsetMismatch(expected: upload.offset, provided: append.offset)
        }
        guard let length = append.contentLength else { return }
        if length > rest {
            await resumable.cancel(upload)
            throw UploadError.inconsistentLength
        }
        if append.isComplete, length < rest {
            await resumable.release(upload)
            throw UploadError.inconsistentLength
        }
    }
}
