import CaptureProtocol
import Foundation
import RialClient
import Testing

@testable import CaptureKit

@Suite("Requests of an upload that resumes, over AsyncHTTPClient")
struct TransportUploadTests {
    private static let fields = ["upload-offset": "12", "upload-complete": "?0", "upload-draft-interop-version": "8"]

    private static func send(
        _ request: HTTPRequest, status: Int, _ progress: ProgressLog = ProgressLog()
    ) async throws -> (TransportServer.Request, HTTPResponse) {
        try await TransportServer.run(.answer(status: status, headers: fields)) { server in
            try await withTransport("http://127.0.0.1:\(server.port)/") { transport in
                #expect(transport.origin == "http://127.0.0.1:\(server.port)")
                let response = try await transport.send(request) { progress.add($0) }
                return (try #require(server.requests.first), response)
            }
        }
    }

    @Test("a question for the offset has no body, and its answer none but the fields")
    func head() async throws {
        let (request, response) = try await Self.send(
            HTTPRequest("HEAD", "/api/v1/uploads/abc", headers: [UploadFields.version]), status: 204)
        #expect(request.method == "HEAD" && request.target == "/api/v1/uploads/abc")
        #expect(request.headers["content-length"] == nil && request.headers["transfer-encoding"] == nil)
        #expect(request.headers["upload-draft-interop-version"] == "8")
        #expect(response.status == 204 && response.uploadOffset == 12 && response.isUploadComplete == false && response.isOfResumption)
    }

    @Test("an empty body is told to be empty", arguments: ["POST", "PATCH"])
    func empty(method: String) async throws {
        let (request, _) = try await Self.send(HTTPRequest(method, "/x", body: BytesBody([])), status: 200)
        #expect(request.method == method && request.body.isEmpty && request.headers["content-length"] == "0")
    }

    @Test("the rest of a body is sent from the byte on, with its length and progress", arguments: [0, 1, 65_536, 299_999])
    func rest(offset: Int) async throws {
        let bytes = [UInt8].noise(300_000)
        let body = MultipartBody(
            boundary: "b", parts: [.init(name: "photo", contentType: "image/jpeg", content: .source(PieceSource([bytes])))])
        let whole = try await allBytes(body)
        let progress = ProgressLog()
        let patch = HTTPRequest(
            "PATCH", "/x", headers: UploadFields.rest(from: Int64(offset)), body: RestOfBody(whole: body, offset: Int64(offset)))
        let (request, _) = try await Self.send(patch, status: 200, progress)
        #expect(request.body == Array(whole[offset...]))
        #expect(request.headers["content-length"] == String(whole.count - offset))
        #expect(request.headers["upload-offset"] == String(offset) && request.headers["upload-complete"] == "?1")
        #expect(request.headers["content-type"] == "application/partial-upload")
        #expect(progress.values.last == Int64(whole.count - offset))
    }
}
