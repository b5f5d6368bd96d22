import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("Reactions to the answers to an upload")
struct ReactionTests {
    private typealias Answer = DocumentedErrors.Answer

    private static let now = Date(timeIntervalSince1970: 784_111_777 - 360)
    private static let id = CaptureID()
    private static let accepted =
        "{\"capture_id\": \"\(id)\", \"status\": \"processing\", \"verification_url\": \"https://example.com/v/1\"}"

    private static func reaction(_ response: HTTPResponse, after history: UploadHistory = UploadHistory()) -> UploadReaction {
        UploadReaction(to: .success(response), after: history, at: now)
    }

    private static func reaction(_ error: any Error, after history: UploadHistory = UploadHistory()) -> UploadReaction {
        UploadReaction(to: .failure(error), after: history, at: now)
    }

    /// A word for each kind of reaction, to be compared with the table below.
    private static func word(_ reaction: UploadReaction) -> String {
        switch reaction {
        case .uploaded: "uploaded"
        case .setClock: "set the clock"
        case .signAgain: "sign again"
        case .registerAgain: "register again"
        case .stopIdentity: "stop the identity"
        case .holdQueue: "hold the queue"
        case .tryLater(_, _, counts: true): "count"
        case .tryLater(_, _, counts: false): "try later"
        case .fail: "fail"
        }
    }

    private static let table: [Answer: String] = [
        Answer(status: 400, code: "VALIDATION_ERROR"): "fail",
        // Of uploads that resume, should one come to a plain upload.
        Answer(status: 400, code: "DIGEST_MISMATCH"): "fail",
        Answer(status: 400, code: "UPLOAD_LENGTH_INCONSISTENT"): "fail",
        Answer(status: 400, code: "UPLOAD_COMPLETED"): "count",
        Answer(status: 409, code: "UPLOAD_OFFSET_MISMATCH"): "count",
        Answer(status: 410, code: "GONE"): "count",
        Answer(status: 401, code: "DEVICE_AUTH_REQUIRED"): "count",
        Answer(status: 401, code: "DEVICE_NOT_REGISTERED"): "register again",
        Answer(status: 401, code: "ATTESTATION_FAILED"): "register again",
        Answer(status: 401, code: "SIGNATURE_INVALID"): "sign again",
        Answer(status: 401, code: "TIMESTAMP_EXPIRED"): "set the clock",
        Answer(status: 403, code: "DEVICE_REVOKED"): "stop the identity",
        Answer(status: 413, code: "PAYLOAD_TOO_LARGE"): "fail",
        Answer(status: 415, code: "UNSUPPORTED_MEDIA_TYPE"): "fail",
        Answer(status: 422, code: "INVALID_METADATA"): "fail",
        Answer(status: 422, code: "INVALID_DEPTH_FORMAT"): "fail",
        Answer(status: 422, code: "INVALID_ASSERTION"): "fail",
        Answer(status: 429, code: "RATE_LIMITED"): "hold the queue",
        Answer(status: 500, code: "INTERNAL_ERROR"): "count",
        Answer(status: 503, code: "STORAGE_ERROR"): "try later",
        Answer(status: 503, code: "SERVICE_UNAVAILABLE"): "try later",
    ]

    @Test("exist for every documented error")
    func documentedErrors() throws {
        let documented = try DocumentedErrors.of(post: "/api/v1/captures")
        #expect(documented == Set(Self.table.keys))
        for (answer, word) in Self.table {
            let response = HTTPResponse.error(answer.status, answer.code, headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT"])
            #expect(Self.word(Self.reaction(response)) == word, "\(answer)")
        }
    }

    @Test("know an accepted capture, new or sent before", arguments: [200, 201])
    func uploaded(status: Int) {
        let capture = AcceptedCapture(captureID: Self.id, type: nil, status: .processing, verificationURL: "https://example.com/v/1")
        #expect(Self.reaction(.data(status, Self.accepted)) == .uploaded(capture))
    }

    @Test(
        "take a success that cannot be read as unexpected",
        arguments: [
            "", "[]", "{}", "{\"data\": null}", "{\"data\": {}}", "<html>", "{\"data\": {\"capture_id\": 1}}",
            "{\"data\": \(accepted), \"data\": \(accepted)}", "{\"data\": \(accepted)} ,",
        ])
    func unreadable(body: String) {
        let response = HTTPResponse(status: 201, headers: [:], body: Array(body.utf8))
        #expect(Self.word(Self.reaction(response)) == "count")
    }

    @Test(
        "take any other status as unexpected, redirects too",
        arguments: [100, 202, 204, 301, 302, 307, 308, 404, 405, 409, 410, 418, 501, 599])
    func unexpected(status: Int) {
        #expect(Self.word(Self.reaction(HTTPResponse(status: status, headers: ["location": "/"], body: []))) == "count")
        #expect(Self.word(Self.reaction(.data(status, Self.accepted))) == "count")
    }

    @Test("go by the status where this version does not know the code", arguments: [(401, "count"), (403, "count"), (422, "fail")])
    func newerCode(status: Int, word: String) {
        #expect(Self.word(Self.reaction(.error(status, "A_NEWER_CODE"))) == word)
    }

    @Test("count a refusal without a code, which is a proxy's", arguments: [400, 413, 415, 422])
    func withoutCode(status: Int) {
        let response = HTTPResponse(status: status, headers: ["content-type": "text/html"], body: Array("<html>".utf8))
        #expect(Self.word(Self.reaction(response)) == "count")
    }

    @Test("keep the server's code and details of a refusal")
    func keepsDetails() {
        let error = ServerError(
            status: 422, code: "INVALID_METADATA", message: "No.", details: "[{\"field\":\"photo\",\"problem\":\"is missing\"}]")
        #expect(Self.reaction(.error(422, "INVALID_METADATA")) == .fail(.server(error)))
    }

    @Test("let a capture fail after five answers that count, and only then")
    func countsToFive() {
        var history = UploadHistory()
        for number in 1...5 {
            let reaction = Self.reaction(.error(500, "INTERNAL_ERROR"), after: history)
            #expect(Self.word(reaction) == (number < 5 ? "count" : "fail"))
            history.add(reaction)
            // What does not count changes nothing in between.
            history.add(Self.reaction(.error(503, "SERVICE_UNAVAILABLE"), after: history))
            history.add(Self.reaction(TransportFailure.unreachable(""), after: history))
        }
        #expect(history.counted == 4)
        #expect(Self.word(Self.reaction(.error(404, "NOT_FOUND"), after: UploadHistory(counted: 4))) == "fail")
        #expect(Self.word(Self.reaction(.error(404, "NOT_FOUND"), after: UploadHistory(counted: 3))) == "count")
    }

    @Test("never count what says nothing about the capture")
    func neverCounts() {
        let history = UploadHistory(counted: 4)
        for status in [502, 503, 504] {
            #expect(Self.word(Self.reaction(HTTPResponse(status: status, headers: [:], body: []), after: history)) == "try later")
        }
        for failure in [TransportFailure.unreachable("cut"), .untrusted("pin")] {
            let expected = UploadReaction.tryLater(.transport(failure), retryAfter: nil, counts: false)
            #expect(Self.reaction(failure, after: history) == expected)
        }
        for error in [FileError.denied, SecureStoreError.locked, CancellationError()] as [any Error] {
            #expect(Self.word(Self.reaction(error, after: history)) == "try later")
        }
    }

    @Test("give up a capture whose bytes are damaged or gone")
    func unreadableCapture() {
        for error in [SealError.notAuthentic, SealError.unknownVersion, FileError.missing] as [any Error] {
            #expect(Self.word(Self.reaction(error)) == "fail")
        }
        #expect(Self.word(Self.reaction(FileError.failed(code: 5))) == "count")
    }

    @Test("take the clock's offset from the answer")
    func clock() {
        let expired = HTTPResponse.error(401, "TIMESTAMP_EXPIRED", headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(Self.reaction(expired) == .setClock(ClockOffset(seconds: 360)))
        #expect(Self.word(Self.reaction(.error(401, "TIMESTAMP_EXPIRED"))) == "count")
    }

    @Test(
        "do not repeat a remedy that did not help",
        arguments: ["TIMESTAMP_EXPIRED", "SIGNATURE_INVALID", "DEVICE_NOT_REGISTERED"])
    func remedies(code: String) {
        let response = HTTPResponse.error(401, code, headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT"])
        var history = UploadHistory()
        let first = Self.reaction(response, after: history)
        history.add(first)
        let second = Self.reaction(response, after: history)
        #expect(Self.word(second) == "count")
        history.add(second)
        // Later, after a wait, it may help again.
        #expect(Self.reaction(response, after: history) == first)
    }

    @Test("do not alternate between remedies without end")
    func remediesTogether() {
        var history = UploadHistory()
        var words: [String] = []
        for code in ["TIMESTAMP_EXPIRED", "SIGNATURE_INVALID", "TIMESTAMP_EXPIRED"] {
            let response = HTTPResponse.error(401, code, headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT"])
            let reaction = Self.reaction(response, after: history)
            history.add(reaction)
            words.append(Self.word(reaction))
        }
        #expect(words == ["set the clock", "sign again", "count"])
    }

    @Test("wait as long as the server asks, at most a day")
    func retryAfter() {
        #expect(Self.reaction(.error(429, "RATE_LIMITED", headers: ["retry-after": "17"])) == .holdQueue(.seconds(17)))
        #expect(Self.reaction(.error(429, "RATE_LIMITED", headers: ["retry-after": "999999"])) == .holdQueue(.seconds(86_400)))
        #expect(Self.reaction(.error(429, "RATE_LIMITED", headers: ["retry-after": "0"])) == .holdQueue(.seconds(1)))
        #expect(Self.reaction(.error(429, "RATE_LIMITED")) == .holdQueue(.seconds(60)))
        let busy = HTTPResponse.error(503, "SERVICE_UNAVAILABLE", headers: ["retry-after": "5"])
        #expect(Self.reaction(busy) == .tryLater(.server(ServerError(busy)), retryAfter: .seconds(5), counts: false))
    }

    @Test("follow from what a transport gives")
    func scripted() async {
        let transport = ScriptedTransport([
            .failure(TransportFailure.unreachable("refused")), .success(.error(503, "STORAGE_ERROR")), .success(.data(201, Self.accepted)),
        ])
        var words: [String] = []
        for _ in 1...3 {
            let request = HTTPRequest("POST", "/api/v1/captures", body: BytesBody([1]))
            let outcome = await Result { try await transport.send(request) }
            words.append(Self.word(UploadReaction(to: outcome, after: UploadHistory(), at: Self.now)))
        }
        #expect(words == ["try later", "try later", "uploaded"])
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Gives prepared outcomes in order, then that nothing is there.
private actor ScriptedTransport: HTTPTransport {
    private var outcomes: ArraySlice<Result<HTTPResponse, any Error>>

    init(_ outcomes: [Result<HTTPResponse, any Error>]) { self.outcomes = outcomes[...] }

    func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse {
        guard let outcome = outcomes.popFirst() else { throw TransportFailure.unreachable("the script is over") }
        return try outcome.get()
    }
}
