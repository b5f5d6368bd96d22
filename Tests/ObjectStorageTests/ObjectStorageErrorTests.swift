import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Testing

@testable import ObjectStorage

/// SPEC §1: only errors that no retry can solve are permanent.
@Suite("What the store's answers mean")
struct ObjectStorageErrorTests {
    private func error(_ status: Int, _ code: String?, key: String? = "a") -> ObjectStorageError {
        ObjectStorageError(S3Request(method: .GET, key: key), status: HTTPResponseStatus(statusCode: status), code: code)
    }

    @Test("an object is missing only where the store says so by name")
    func missing() {
        #expect(error(404, "NoSuchKey").code == .notFound && !error(404, "NoSuchKey").isTransient)
        for (code, key) in [("NoSuchBucket", "a"), ("NoSuchUpload", "a"), (nil, "a"), (nil, nil), ("NotFound", "a")] as [(String?, String?)]
        {
            #expect(error(404, code, key: key).isTransient, "\(code ?? "no code")")
        }
    }

    @Test(
        "every other answer may pass", arguments: [400, 401, 403, 405, 409, 411, 412, 416, 429, 500, 501, 503, 507, 301, 307])
    func transient(status: Int) {
        #expect(error(status, nil).isTransient)
        #expect(error(status, "AccessDenied").isTransient)
        #expect(error(status, nil).isUnreachable == (status == 429 || status >= 500))
    }

    @Test("a range behind an object's end is told from other refusals", arguments: [nil, "InvalidRange"])
    func range(code: String?) {
        #expect(error(416, code).code == .rangeNotSatisfiable)
    }

    @Test("a busy store is asked again, however it says so")
    func busy() {
        #expect(error(400, "SlowDown").isUnreachable && error(503, "SlowDown").isUnreachable)
    }

    private func response(_ body: HTTPClientResponse.Body) -> HTTPClientResponse {
        HTTPClientResponse(version: .http1_1, status: .ok, headers: [:], body: body, history: [])
    }

    private func failing(_ error: any Error) -> HTTPClientResponse {
        response(.stream(AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: error) }))
    }

    @Test("an answer that breaks off or does not end is the store's fault; a task that is cancelled is not")
    func answers() async throws {
        #expect(try await response(.bytes(ByteBuffer(string: "answer"))).answer() == ByteBuffer(string: "answer"))
        #expect(await storageError { try await failing(HTTPClientError.remoteConnectionClosed).answer() } == .unavailable)
        let long = response(.bytes(ByteBuffer(repeating: 0, count: S3Client.maximumAnswerBytes + 1)))
        #expect(await storageError { try await long.answer() } == .unavailable)
        await #expect(throws: CancellationError.self) { try await failing(CancellationError()).answer() }
    }

    @Test("other bytes than were accepted stay what they are", arguments: [ObjectStorageError.Code.digestMismatch, .tooLarge])
    func wrong(code: ObjectStorageError.Code) {
        #expect(!ObjectStorageError(code, "x").isTransient)
    }
}
