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

    @Test("a busy store is asked again, however it says so")
    func busy() {
        #expect(error(400, "SlowDown").isUnreachable && error(503, "SlowDown").isUnreachable)
    }

    @Test("other bytes than were accepted stay what they are", arguments: [ObjectStorageError.Code.digestMismatch, .tooLarge])
    func wrong(code: ObjectStorageError.Code) {
        #expect(!ObjectStorageError(code, "x").isTransient)
    }
}
