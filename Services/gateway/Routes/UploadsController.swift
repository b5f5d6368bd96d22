import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Metrics

/// An upload at its address (SPEC §2, "Uploads that resume"). Whoever has the address may go on with the upload; it is in no log.
struct UploadsController: Sendable {
    let resumable: ResumableUploads
    let permits: ConcurrencyLimit
    let responses: UploadResponses
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.options(APIPath.captures) { request, _ in self.options(.photo, request) }
        routes.options(APIPath.videos) { request, _ in self.options(.video, request) }
        routes.head("\(APIPath.uploads)/{token}") { request, context in try await self.inVersion(of: request, context, self.state) }
        routes.get("\(APIPath.uploads)/{token}") { request, context in try await self.inVersion(of: request, context, self.answer) }
        routes.patch("\(APIPath.uploads)/{token}") { request, context in try await self.inVersion(of: request, context, self.append) }
        routes.delete("\(APIPath.uploads)/{token}") { request, context in try await self.inVersion(of: request, context, self.cancel) }
    }

    private typealias Handler = (_ token: String, InteropVersion, Request, GatewayContext) async throws -> Response

    private func inVersion(of request: Request, _ context: GatewayContext, _ handler: Handler) async throws -> Response {
        let known = InteropVersion(field: request.headers[.uploadDraftInteropVersion])
        return try await UploadResponses.naming(known ?? .latest) {
            guard let known else {
                throw UploadError.fields([.init(name: HTTPField.Name.uploadDraftInteropVersion.rawName, problem: "must be 3 to 8")])
            }
            return try await handler(try context.parameters.require("token"), known, request, context)
        }
    }

    private func options(_ type: CaptureType, _ request: Request) -> Response {
        let version = InteropVersion(field: request.headers[.uploadDraftInteropVersion]) ?? .latest
        return Response(
            status: .noContent,
            headers: [
                .acceptPatch: UploadHeader.partialType, .uploadDraftInteropVersion: String(version.rawValue),
                .uploadLimit: version.limit(maximumBytes: type.bodyLimit, seconds: Upload.lifetimeSeconds),
            ])
    }

    private func state(_ token: String, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response {
        var upload = try await resumable.find(token)
        if upload.state == .open {
            do {
                upload = try await resumable.claim(upload, adding: false)
            } catch UploadError.completed {
                upload = try await resumable.find(token)
            }
        }
        var headers = responses.state(upload, version)
        headers[.uploadLength] = String(upload.length)
        headers[.contentLocation] = upload.answer.map { APIPath.capture($0.capture.captureID) }
        return Response(status: .noContent, headers: headers)
    }

    private func answer(_ token: String, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        let upload = try await resumable.find(token)
        guard let answer = upload.answer else { throw UploadError.incomplete }
        let path = APIPath.capture(answer.capture.captureID)
        var headers = responses.state(upload, version)
        headers[.contentLocation] = path
        return try Envelope.success(answer.capture, headers: headers, context: context)
    }

    private func cancel(_ token: String, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        let upload = try await resumable.find(token)
        if let answer = upload.answer { throw UploadError.completed(answer.capture.captureID) }
        try await resumable.end(upload)
        return Response(status: .noContent, headers: [.uploadDraftInteropVersion: String(version.rawValue)])
    }

    private func append(_ token: String, _ version: InteropVersion, _ request: Request, _ context: GatewayContext) async throws -> Response
    {
        let append = try UploadAppend(request.headers, version: version)
        let upload = try await resumable.begin(token)
        return try await resumable.runs.holding(upload.id) { holder in
            try await check(append, against: upload)
            let address = ClientAddress(request, context, trusting: trustedProxies)
            let permit = try await self.permit(upload, at: address)
            defer { permit.release() }
            if upload.offset > 0, append.contentLength != 0 { Counter(label: "rial_uploads_resumed_total").increment() }
            return try await context.breakingOff(append.contentLength != 0) {
                let received = try await resumable.receive(
                    request.body, length: append.contentLength, into: upload, holder, abort: context.stopBody)
                guard append.isComplete else {
                    await resumable.release(received.upload)
                    return Response(status: .noContent, headers: responses.state(received.upload, version))
                }
                let (answer, allowance) = try await resumable.complete(
                    received, begun: context.begun, from: address, publicURL: responses.publicURL, logger: context.logger)
                return try responses.accepted(answer, allowance, at: nil, version, context)
            }
        }
    }

    /// A permit for another upload in progress; without one the upload belongs to nobody again.
    private func permit(_ upload: Upload, at address: ClientAddress) async throws -> ConcurrencyLimit.Permit {
        do {
            return try permits.acquire(
                address: address.description, device: upload.device.description,
                isVerified: try await resumable.devices.find(upload.device)?.isVerified ?? false)
        } catch {
            await resumable.release(upload)
            throw error
        }
    }

    /// Compares a request with the upload that it has claimed, before its content is read.
    private func check(_ append: UploadAppend, against upload: Upload) async throws {
        let rest = upload.length - upload.offset
        guard append.uploadLength == nil || append.uploadLength == upload.length else {
            await resumable.release(upload)
            throw UploadError.inconsistentLength
        }
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
