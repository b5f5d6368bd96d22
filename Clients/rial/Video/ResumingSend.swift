import CaptureKit
import CaptureProtocol
import Foundation
import RialClient

/// Sends a video in a folder so that it goes on after a break: at once for as long as the server gets more, and in the next command.
struct ResumingSend {
    let folder: VideoFolder
    let server: URL
    let session: DeviceSession

    private struct Answer: Decodable {
        let data: AcceptedCapture
    }

    /// An unfinished upload, as it is kept between commands.
    private struct Unfinished: Codable {
        let boundary: String
        var upload: KeptUpload?
    }

    /// - Throws: ``APIFailure`` if the server refuses the video or cannot be reached; errors of reading.
    func run() async throws -> AcceptedCapture {
        let transport = try AsyncHTTPTransport(baseURL: server, trust: ServerTrust(pins: .none, isDevelopment: true))
        let result: Result<HTTPResponse, any Error>
        do { result = .success(try await send(through: transport)) } catch { result = .failure(error) }
        try await transport.shutdown()
        let response: HTTPResponse
        do {
            response = try result.get()
        } catch let failure as TransportFailure {
            throw APIFailure(.unreachable, "\(server): \(failure)")
        }
        guard [200, 201].contains(response.status), let answer = try? WireJSON.decode(Answer.self, from: response.body) else {
            let error = ServerError(response)
            throw APIFailure(.refused, error.code.map { "\(error.message) (\($0))" } ?? error.message, serverCode: error.code)
        }
        try? FileManager.default.removeItem(at: folder.unfinishedUpload)
        return answer.data
    }

    private func send(through transport: AsyncHTTPTransport) async throws -> HTTPResponse {
        var unfinished = try load()
        try keep(unfinished)
        let body = try folder.upload(boundary: unfinished.boundary).body
        let digest = try await body.digest()
        func signed(_ more: [UploadFields.Field]) async throws -> HTTPRequest {
            let headers = try await session.headers(method: "POST", target: VideoUpload.path, bodyDigest: digest, at: Date())
            return HTTPRequest("POST", VideoUpload.path, headers: headers + more + [("content-type", body.contentType)], body: body)
        }
        guard body.contentLength > ResumableUpload.smallestBytes else { return try await transport.send(try await signed([])) }
        var upload = ResumableUpload(lengthBytes: body.contentLength, at: transport.origin, goingOnWith: unfinished.upload)
        let outcome = try await upload.run(body) {
            Date()
        } create: {
            try await signed([UploadFields.representationDigest(digest)])
        } send: { request, stored in
            if stored > 0, request.method == "PATCH" { Console.progress("resumed at \(stored)") }
            return try await transport.send(request)
        } keep: { upload, _ in
            unfinished.upload = upload.kept
            try keep(unfinished)
        }
        switch outcome {
        case .answered(let response): return response
        case .sendPlain: return try await transport.send(try await signed([]))
        }
    }

    private func load() throws -> Unfinished {
        let kept = FileManager.default.contents(atPath: folder.unfinishedUpload.path)
        return kept.flatMap { try? JSONDecoder().decode(Unfinished.self, from: $0) }
            ?? Unfinished(boundary: MultipartBody.randomBoundary(), upload: nil)
    }

    /// Whoever has the address may go on with the upload: readable by its owner only.
    private func keep(_ unfinished: Unfinished) throws {
        try JSONEncoder().encode(unfinished).write(to: folder.unfinishedUpload, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.unfinishedUpload.path)
    }
}
