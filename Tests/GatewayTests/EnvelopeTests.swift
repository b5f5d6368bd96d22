import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import Testing

@testable import Gateway

@Suite("Envelope")
struct EnvelopeTests {
    /// SPEC §2, "Limits and codes".
    private static let statuses: [String: Int] = [
        "VALIDATION_ERROR": 400, "INVALID_ATTESTATION": 400, "CHALLENGE_INVALID": 400, "DEVICE_AUTH_REQUIRED": 401,
        "DEVICE_NOT_REGISTERED": 401, "SIGNATURE_INVALID": 401, "TIMESTAMP_EXPIRED": 401, "ATTESTATION_FAILED": 401, "FORBIDDEN": 403,
        "DEVICE_REVOKED": 403, "CAPTURE_NOT_FOUND": 404, "HASH_NOT_FOUND": 404, "NOT_FOUND": 404, "METHOD_NOT_ALLOWED": 405,
        "DEVICE_ALREADY_REGISTERED": 409, "PAYLOAD_TOO_LARGE": 413, "UNSUPPORTED_MEDIA_TYPE": 415, "UNSUPPORTED_PLATFORM": 422,
        "INVALID_METADATA": 422, "INVALID_DEPTH_FORMAT": 422, "INVALID_ASSERTION": 422, "INVALID_VIDEO": 422, "INVALID_HASH_CHAIN": 422,
        "NOT_LOGGED_YET": 409, "GONE": 410, "RATE_LIMITED": 429, "INTERNAL_ERROR": 500, "NOT_IMPLEMENTED": 501,
        "STORAGE_ERROR": 503, "SERVICE_UNAVAILABLE": 503, "UPLOAD_OFFSET_MISMATCH": 409, "UPLOAD_INCOMPLETE": 409,
        "UPLOAD_LENGTH_INCONSISTENT": 400, "UPLOAD_COMPLETED": 400, "DIGEST_MISMATCH": 400,
    ]

    @Test("the codes and their statuses are those of the specification")
    func codes() {
        #expect(Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0.rawValue, $0.status.code) }) == Self.statuses)
    }

    @Test("every code is answered in the envelope", arguments: ErrorCode.allCases)
    func failure(code: ErrorCode) async throws {
        let context = makeContext()
        let error = APIError(code, "A sentence.", details: [.init(field: "a.b", problem: "is wrong")], headers: [.retryAfter: "7"])
        let response = Envelope.failure(error, request: makeRequest(), context: context)
        #expect(response.status == code.status)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.retryAfter] == "7")
        #expect(response.headers[.cacheControl] == "no-store")
        let json = try await response.json()
        #expect(Set(json.keys) == ["error", "meta"])
        let body = try #require(json["error"] as? [String: Any])
        #expect(body["code"] as? String == code.rawValue)
        #expect(body["message"] as? String == "A sentence.")
        #expect(body["details"] as? [[String: String]] == [["field": "a.b", "problem": "is wrong"]])
        try expectMeta(json, context)
    }

    @Test("an error without details has no such member")
    func noDetails() async throws {
        let response = Envelope.failure(APIError(.gone, "x"), request: makeRequest(), context: makeContext())
        let body = try #require(try await response.json()["error"] as? [String: Any])
        #expect(Set(body.keys) == ["code", "message"])
    }

    @Test("of a withdrawn capture the day is told and nothing else", arguments: ["application/json", "application/problem+json"])
    func withdrawn(form: String) async throws {
        let error = try #require(APIError(refusal: WithdrawnCapture(withdrawnAt: Date(timeIntervalSince1970: 1_795_478_399))))
        let response = Envelope.failure(error, request: makeRequest(.get, "/", [.accept: form]), context: makeContext())
        #expect(response.status == .gone && response.headers[.cacheControl] == "no-store")
        let json = try await response.json()
        let body = form == "application/json" ? try #require(json["error"] as? [String: Any]) : json
        #expect(body["code"] as? String == "GONE" && body["withdrawn_on"] as? String == "2026-11-23")
        if form == "application/json" { #expect(Set(body.keys) == ["code", "message", "withdrawn_on"]) }
    }

    @Test("every code is a problem of RFC 9457 where the client asks for one", arguments: ErrorCode.allCases)
    func problem(code: ErrorCode) async throws {
        let context = makeContext()
        let request = makeRequest(.get, "/", [.accept: "application/problem+json, application/json;q=0.5"])
        let response = Envelope.failure(APIError(code, "A sentence."), request: request, context: context)
        #expect(response.status == code.status)
        #expect(response.headers[.contentType] == "application/problem+json")
        let json = try await response.json()
        #expect(json["code"] as? String == code.rawValue)
        #expect(json["status"] as? Int == code.status.code)
        #expect(json["type"] as? String == "about:blank")
        #expect(json["title"] as? String == code.status.reasonPhrase)
        #expect(json["detail"] as? String == "A sentence.")
        #expect(json["instance"] as? String == "urn:uuid:\(context.requestID)")
    }

    @Test(
        "a client that refuses problems of RFC 9457 gets none",
        arguments: ["application/problem+json;q=0", "application/json, Application/Problem+JSON ; Q=0.0", "application/problem+jsonx"])
    func noProblem(accepted: String) async throws {
        let request = makeRequest(.get, "/", [.accept: accepted])
        let response = Envelope.failure(APIError(.gone, "A sentence."), request: request, context: makeContext())
        #expect(response.headers[.contentType] == "application/json")
        let json = try await response.json()
        #expect(Set(json.keys) == ["error", "meta"])
    }

    @Test("a success carries its data, headers and status")
    func success() async throws {
        let context = makeContext()
        let response = try Envelope.success(["a": 1], status: .created, headers: [.location: "/x"], context: context)
        #expect(response.status == .created)
        #expect(response.headers[.location] == "/x")
        #expect(response.headers[.contentType] == "application/json")
        let json = try await response.json()
        #expect(Set(json.keys) == ["data", "meta"])
        #expect(json["data"] as? [String: Int] == ["a": 1])
        try expectMeta(json, context)
    }

    private func expectMeta(_ json: [String: Any], _ context: GatewayContext) throws {
        let meta = try #require(json["meta"] as? [String: String])
        #expect(meta["request_id"] == context.requestID)
        let time = try #require(meta["timestamp"].flatMap(Timestamp.parse))
        #expect(abs(time.timeIntervalSinceNow) < 60)
    }
}
