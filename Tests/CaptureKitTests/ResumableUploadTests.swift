import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("What follows from an answer to an upload that resumes")
struct ResumableUploadTests {
    private static let length: Int64 = 5_000_000
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let place = "https://rial.example/api/v1/uploads/abc"
    private static let accepted = #"{"capture_id":"\#(UUID())","status":"processing","verification_url":"https://rial.example/v/1"}"#

    /// A request that was made, and what the server is known to have before.
    enum Phase: String, CaseIterable { case create, askOffset, append, fetchAnswer }

    private static func upload(_ phase: Phase, stored: Int64 = 1000, mismatches: Int = 0) throws -> ResumableUpload {
        let address = try #require(UploadAddress(location: place, at: "https://rial.example"))
        let kept = KeptUpload(
            address: phase == .create ? nil : address, lengthBytes: length, storedBytes: phase == .create ? 0 : stored,
            mismatches: mismatches)
        var upload = ResumableUpload(lengthBytes: length, at: "https://rial.example", goingOnWith: kept)
        switch phase {
        case .create, .askOffset: break
        case .append: upload.received(state(204, offset: stored), at: now)
        case .fetchAnswer: upload.received(state(204, offset: length, isComplete: true), at: now)
        }
        #expect(word(upload) == (phase == .append ? "append \(stored)" : phase.rawValue))
        return upload
    }

    private static func state(
        _ status: Int, offset: Int64? = nil, isComplete: Bool? = false, location: String? = nil, version: String? = "8",
        _ more: [String: String] = [:]
    ) -> HTTPResponse {
        var headers = more
        headers["upload-offset"] = offset.map { String($0) }
        headers["upload-complete"] = isComplete.map { $0 ? "?1" : "?0" }
        headers["location"] = location
        headers["upload-draft-interop-version"] = version
        return HTTPResponse(status: status, headers: headers, body: [])
    }

    private static func word(_ upload: ResumableUpload) -> String {
        switch upload.step {
        case .create: "create"
        case .askOffset: "askOffset"
        case .append(let offset): "append \(offset)"
        case .fetchAnswer: "fetchAnswer"
        case .sendPlain(let lasts): lasts ? "plain" : "plain once"
        case .end(.success(let response)): "end \(response.status)"
        case .end(.failure(let failure)): "failed \(failure)"
        }
    }

    private static func next(_ phase: Phase, _ response: HTTPResponse) throws -> ResumableUpload {
        var upload = try upload(phase)
        upload.received(response, at: now)
        return upload
    }

    @Test("the server's place is taken, at the offset that it tells", arguments: [0, 1, 4_999_999, 5_000_000])
    func created(offset: Int64) throws {
        let upload = try Self.next(.create, Self.state(201, offset: offset, location: Self.place))
        #expect(Self.word(upload) == "append \(offset)")
        #expect(upload.kept?.address?.target == "/api/v1/uploads/abc" && upload.storedBytes == offset)
        let unknown = try Self.next(.create, Self.state(201, location: Self.place))
        #expect(Self.word(unknown) == "askOffset" && unknown.kept?.address != nil)
    }

    @Test(
        "a server that does not speak of it gets the whole body, and no other place is followed",
        arguments: [
            (HTTPResponse(status: 201, headers: [:], body: []), "plain"), (state(201, offset: 0), "plain"),
            (state(201, offset: 0, location: "https://evil.example/api/v1/uploads/abc"), "plain"),
            (state(201, offset: 0, location: "https://rial.example/api/v1/captures/abc"), "plain"),
            (state(201, offset: 0, isComplete: nil, location: place), "plain"),
            (state(201, offset: 0, isComplete: true, location: place), "plain"),
            (.error(400, "VALIDATION_ERROR"), "plain"), (UploadBook.refusal(400, "VALIDATION_ERROR"), "plain"),
            (.error(401, "SIGNATURE_INVALID"), "plain"), (UploadBook.refusal(401, "SIGNATURE_INVALID"), "end 401"),
            (HTTPResponse(status: 200, headers: [:], body: Array("<html>".utf8)), "plain"),
            (HTTPResponse(status: 302, headers: ["location": place], body: []), "plain"),
            (HTTPResponse(status: 403, headers: [:], body: []), "plain"), (.error(405, "METHOD_NOT_ALLOWED"), "plain"),
            (HTTPResponse(status: 411, headers: [:], body: []), "plain"), (HTTPResponse(status: 501, headers: [:], body: []), "plain"),
        ])
    func notSpoken(response: HTTPResponse, then: String) throws {
        let upload = try Self.next(.create, response)
        #expect(Self.word(upload) == then)
        #expect(upload.kept?.address == nil)
    }

    @Test(
        "the queue reacts as to a plain upload",
        arguments: [(401, "TIMESTAMP_EXPIRED"), (401, "DEVICE_NOT_REGISTERED"), (403, "DEVICE_REVOKED"), (413, "PAYLOAD_TOO_LARGE")])
    func refusedDevice(status: Int, code: String) throws {
        #expect(Self.word(try Self.next(.create, .error(status, code))) == "end \(status)")
        #expect(Self.word(try Self.next(.append, .error(status, code))) == "end \(status)")
    }

    @Test("the queue waits for a server that is busy or away, and the upload stays", arguments: [429, 500, 502, 503, 504], Phase.allCases)
    func away(status: Int, phase: Phase) throws {
        let upload = try Self.next(phase, UploadBook.refusal(status, "SERVICE_UNAVAILABLE", ["retry-after": "30"]))
        #expect(Self.word(upload) == "end \(status)")
        #expect((upload.kept?.address == nil) == (phase == .create))
    }

    @Test("an upload that has no place for hours is sent whole")
    func noPlace() throws {
        #expect(Self.word(try Self.next(.create, UploadBook.refusal(429, "RATE_LIMITED", ["retry-after": "601"]))) == "plain once")
        #expect(Self.word(try Self.next(.create, UploadBook.refusal(429, "RATE_LIMITED", ["retry-after": "600"]))) == "end 429")
        #expect(Self.word(try Self.next(.append, UploadBook.refusal(429, "RATE_LIMITED", ["retry-after": "6000"]))) == "end 429")
    }

    @Test("the upload begins anew when the server does not have it, twice, then is sent whole", arguments: [404, 410], Phase.allCases)
    func gone(status: Int, phase: Phase) throws {
        guard phase != .create else {
            #expect(Self.word(try Self.next(.create, UploadBook.refusal(status, "GONE"))) == "plain")
            return
        }
        var upload = try Self.next(phase, UploadBook.refusal(status, "GONE"))
        #expect(Self.word(upload) == "create" && upload.kept == nil)
        upload.received(Self.state(201, offset: 0, location: Self.place), at: Self.now)
        upload.received(UploadBook.refusal(status, "GONE"), at: Self.now)
        #expect(Self.word(upload) == "create")
        upload.received(Self.state(201, offset: 0, location: Self.place), at: Self.now)
        upload.received(UploadBook.refusal(status, "GONE"), at: Self.now)
        #expect(Self.word(upload) == "plain once" && upload.kept == nil)
    }

    @Test(
        "an offset that cannot be is not believed",
        arguments: [
            ("999", "create"), ("5000001", "create"), ("-1", "plain once"), ("1e3", "plain once"), ("", "plain once"),
            ("9999999999999999", "plain once"), ("1000, 1000", "plain once"), ("1000", "append 1000"), ("1001;a=1", "append 1001"),
            ("5000000", "append 5000000"),
        ])
    func offsets(text: String, then: String) throws {
        var response = Self.state(204, ["upload-offset": text])
        response = HTTPResponse(status: 204, headers: response.headers.merging(["upload-offset": text]) { _, new in new }, body: [])
        #expect(Self.word(try Self.next(.askOffset, response)) == then)
    }

    @Test("the lost answer is fetched once the server has all")
    func complete() throws {
        #expect(Self.word(try Self.next(.askOffset, Self.state(204, offset: Self.length, isComplete: true))) == "fetchAnswer")
        #expect(Self.word(try Self.next(.append, UploadBook.refusal(400, "UPLOAD_COMPLETED"))) == "fetchAnswer")
        #expect(Self.word(try Self.next(.fetchAnswer, .data(200, Self.accepted))) == "end 200")
        #expect(Self.word(try Self.next(.append, .data(201, Self.accepted))) == "end 201")
        #expect(Self.word(try Self.next(.create, .data(200, Self.accepted))) == "end 200")
        #expect(Self.word(try Self.next(.fetchAnswer, UploadBook.refusal(409, "UPLOAD_INCOMPLETE"))) == "askOffset")
        #expect(Self.word(try Self.next(.askOffset, Self.state(204, offset: 1000, ["upload-length": "4999999"]))) == "create")
    }

    @Test(
        "the capture's own refusal is the upload's, also with a code that this version does not know",
        arguments: [(400, "VALIDATION_ERROR"), (400, "A_NEWER_CODE"), (422, "INVALID_METADATA")])
    func refused(status: Int, code: String) throws {
        #expect(Self.word(try Self.next(.append, UploadBook.refusal(status, code))) == "end \(status)")
    }

    @Test("what cannot speak of it on the way makes this upload plain", arguments: [400, 403, 405, 415, 501, 505, 301])
    func proxy(status: Int) throws {
        let word = status > 500 ? "plain" : "plain once"
        for phase in [Phase.askOffset, .append, .fetchAnswer] {
            let upload = try Self.next(phase, HTTPResponse(status: status, headers: [:], body: Array("<html>".utf8)))
            #expect(Self.word(upload) == word && upload.kept == nil)
        }
        #expect(Self.word(try Self.next(.askOffset, HTTPResponse(status: 200, headers: [:], body: []))) == "plain once")
        #expect(Self.word(try Self.next(.append, HTTPResponse(status: 409, headers: [:], body: []))) == "plain once")
    }

    @Test("a wrong offset is put right, and an upload that gets nowhere is sent whole")
    func mismatch() throws {
        let told = UploadBook.refusal(409, "UPLOAD_OFFSET_MISMATCH", ["upload-offset": "3000"])
        #expect(Self.word(try Self.next(.append, told)) == "append 3000")
        #expect(Self.word(try Self.next(.append, UploadBook.refusal(409, "UPLOAD_OFFSET_MISMATCH"))) == "askOffset")
        var upload = try Self.next(.append, UploadBook.refusal(409, "UPLOAD_OFFSET_MISMATCH", ["upload-offset": "1000"]))
        for _ in 1...5 {
            #expect(Self.word(upload) == "askOffset")
            upload.received(Self.state(204, offset: 1000), at: Self.now)
            #expect(Self.word(upload) == "append 1000")
            upload.received(UploadBook.refusal(409, "UPLOAD_OFFSET_MISMATCH", ["upload-offset": "1000"]), at: Self.now)
        }
        #expect(Self.word(upload) == "plain once")
    }

    @Test("another digest begins anew once; the second time is the end, also in a later attempt")
    func digestMismatch() throws {
        let wrong = UploadBook.refusal(400, "DIGEST_MISMATCH")
        var upload = try Self.next(.append, wrong)
        #expect(Self.word(upload) == "create" && upload.kept?.mismatches == 1)
        upload.received(Self.state(201, offset: 0, location: Self.place), at: Self.now)
        #expect(upload.kept?.mismatches == 1 && upload.storedBytes == 0)
        upload.received(wrong, at: Self.now)
        #expect(Self.word(upload) == "end 400" && upload.kept == nil)
        var later = try Self.upload(.append, mismatches: 1)
        later.received(UploadBook.refusal(404, "NOT_FOUND"), at: Self.now)
        #expect(Self.word(later) == "create" && later.kept?.mismatches == 1)
    }

    @Test("a break is followed by a question for the offset, and by the end if nothing had come through")
    func breaks() throws {
        let cut = TransportFailure.unreachable("cut")
        var upload = try Self.upload(.append)
        upload.failed(cut)
        #expect(Self.word(upload) == "askOffset")
        upload.received(Self.state(204, offset: 1500), at: Self.now)
        #expect(Self.word(upload) == "append 1500" && upload.storedBytes == 1500)
        upload.failed(cut)
        upload.received(Self.state(204, offset: 1500), at: Self.now)
        #expect(Self.word(upload) == "failed \(cut)" && upload.kept?.storedBytes == 1500)
        for phase in [Phase.create, .askOffset, .fetchAnswer] {
            var upload = try Self.upload(phase)
            upload.failed(cut)
            #expect(Self.word(upload) == "failed \(cut)")
        }
        var untrusted = try Self.upload(.append)
        untrusted.failed(.untrusted("pin"))
        #expect(Self.word(untrusted) == "failed \(TransportFailure.untrusted("pin"))")
    }

    @Test("an upload of another length is not gone on with, and one that never ends is ended")
    func bounds() throws {
        let address = UploadAddress(location: Self.place, at: "https://rial.example")
        for kept in [
            KeptUpload(address: address, lengthBytes: Self.length - 1),
            KeptUpload(address: address, lengthBytes: Self.length, storedBytes: -1),
            KeptUpload(address: address, lengthBytes: Self.length, storedBytes: Self.length + 1),
        ] {
            let upload = ResumableUpload(lengthBytes: Self.length, at: nil, goingOnWith: kept)
            #expect(Self.word(upload) == "create" && upload.kept == nil)
        }
        var upload = try Self.upload(.append)
        var requests = 0
        while case .append(let offset) = upload.step {
            upload.received(UploadBook.refusal(409, "UPLOAD_OFFSET_MISMATCH", ["upload-offset": String(offset + 1)]), at: Self.now)
            requests += 1
            if requests > 5000 { break }
        }
        #expect(Self.word(upload) == "plain once" && requests < 5000)
    }
}
