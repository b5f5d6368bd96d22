import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import ObjectStorage
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests that create uploads that resume")
struct ResumableCreationTests {
    private struct Cut: Error {}

    /// Of a request that is for a plain upload.
    private static let passedOn = HTTPResponse.Status.notImplemented
    private let parts: UploadFixture
    private let connection: NIOAsyncTestingChannel
    private let device: SigningDevice
    private let body: [UInt8]

    init() async throws {
        parts = try UploadFixture()
        connection = try await makeConnection(from: UploadFixture.address)
        device = try SigningDevice()
        body = try PhotoBody().bytes()
        parts.devices.add(device.known)
    }

    private var wholeFields: HTTPFields { UploadOfferTests.whole(of: ContentDigest(of: body), length: body.count) }
    private var emptyFields: HTTPFields { UploadOfferTests.empty(of: ContentDigest(of: body), length: body.count) }

    /// The first bytes of the body.
    private var head: [UInt8] { Array(body.prefix(10)) }
    private var partFields: HTTPFields {
        UploadOfferTests.empty(of: ContentDigest(of: body), length: body.count) { $0[.contentLength] = "10" }
    }

    /// - Parameters:
    ///   - content: by default none that may be read.
    ///   - signature: by default that of the device over the digest that the fields name.
    private func send(
        _ fields: HTTPFields, _ content: AsyncThrowingStream<ByteBuffer, any Error> = unreadStream(), to path: String = APIPath.captures,
        signature: HTTPFields? = nil, by parts: UploadFixture? = nil
    ) async throws -> Response {
        let parts = parts ?? self.parts
        let creation = ResumableCreation(
            authenticator: parts.authenticator, resumable: parts.resumable, permits: parts.permits,
            responses: UploadResponses(publicURL: publicURL))
        var routes = Routes()
        for (route, type) in [(APIPath.captures, CaptureType.photo), (APIPath.videos, .video)] {
            routes.post(route) { request, context in
                let address = ClientAddress(request, context, trusting: [])
                let headers = try SignatureHeaders(request.headers)
                let response = try await creation.respond(to: request, as: type, headers, from: address, context)
                return response ?? Response(status: Self.passedOn)
            }
        }
        let named = fields[.reprDigest].flatMap { StructuredField.bytes("sha-256", inDictionary: $0) }
        let digest = named.flatMap { ContentDigest(bytes: $0) } ?? ContentDigest(of: body)
        var signed = fields
        signed.set(try signature ?? device.signature(of: digest, to: path))
        return try await routes.respond(to: makeRequest(.post, path, signed, content: content), makeContext(on: connection))
    }

    /// The upload whose address a response tells.
    private func upload(of response: Response) async throws -> Upload? {
        guard let place = response.headers[.location], place.hasPrefix("\(publicURL)\(APIPath.uploads)/"),
            let token = UploadToken(place.suffix(43))
        else { return nil }
        return try await parts.uploads.find(token)
    }

    /// The next interim response that was sent.
    private func interim() async throws -> HTTPResponse? {
        guard case .head(let head)? = try await connection.readOutbound(as: HTTPResponsePart.self) else { return nil }
        return head
    }

    /// Whether nothing came of any request, and no place is taken.
    private var isUntouched: Bool {
        parts.uploads.now.entries.isEmpty && parts.store.requests.isEmpty && parts.captures.now.captures.isEmpty && parts.hasPlace
    }

    @Test("a whole body becomes a capture, as a plain one does, and its client is told the address while it sends")
    func whole() async throws {
        let response = try await send(wholeFields, bodyStream(body))
        let made = try #require(try await upload(of: response))
        let capture = try #require(made.answer?.capture.captureID)
        #expect(response.status == .created && response.headers[.contentLocation] == APIPath.capture(capture))
        #expect(response.headers[.uploadDraftInteropVersion] == "6" && response.headers[.uploadComplete] == "?1")
        #expect(response.headers[.rateLimitLimit] == "100" && response.headers[.rateLimitRemaining] == "99")
        let data = try await response.json()["data"] as? [String: Any]
        #expect(data?["capture_id"] as? String == capture.description && data?["status"] as? String == "processing")
        #expect(data?["verification_url"] as? String == "\(publicURL)/verify/\(capture)")

        let told = try #require(try await interim())
        #expect(told.status.code == 104 && told.headerFields[.location] == response.headers[.location])
        #expect(told.headerFields[.uploadDraftInteropVersion] == "6")
        #expect(told.headerFields[.uploadLimit]?.hasPrefix("max-size=\(SizeLimits.capture), expires=") == true)

        #expect(made.state == .done && made.runner == nil && parts.hasPlace)
        #expect(parts.captures.now.announced == [capture.description])
        #expect(parts.captures.now.captures[capture]?.capture.announcement.deviceID == device.known.id)
        try await eventually("its segments are deleted") { parts.store.keys == parts.keys(of: capture) }
    }

    @Test("a client that waits before it sends is told the address, then to send; without its signature it is told neither")
    func awaited() async throws {
        var fields = wholeFields
        fields[.expect] = "100-continue"
        try await send(fields, signature: [:]).expectRefusal(.deviceAuthRequired)
        #expect(try await interim() == nil)
        #expect(try await send(fields, bodyStream(body)).status == .created)
        #expect(try await interim()?.status.code == 104)
        #expect(try await interim()?.status == .continue)
        #expect(try await interim() == nil)
    }

    @Test("a part of a body is kept, and counts as a creation; the answer says how much there is")
    func part() async throws {
        let response = try await send(partFields, bodyStream(head))
        let made = try #require(try await upload(of: response))
        #expect(response.status == .created && response.headers[.uploadOffset] == "10" && response.headers[.uploadComplete] == "?0")
        #expect(response.headers[.cacheControl] == "no-store" && response.headers[.contentLocation] == nil)
        #expect(try await response.bytes().isEmpty)
        #expect(made.state == .open && made.offset == 10 && made.length == Int64(body.count) && made.runner == nil)
        #expect(parts.store.bytes(UploadSegment.key(made.id, start: 0, epoch: 1)) == head)
        #expect(parts.captures.now.captures.isEmpty && parts.hasPlace)
        #expect(parts.buckets.names == ["capture-creation:\(device.known.id)", "capture-address-creation:\(UploadFixture.address)"])
    }

    @Test("an empty one takes no place and is sent no 104, and its upload belongs to no request")
    func empty() async throws {
        let held = try parts.permits.acquire(address: "192.0.2.9")
        let response = try await send(emptyFields)
        held.release()
        let made = try #require(try await upload(of: response))
        #expect(response.status == .created && response.headers[.uploadOffset] == "0")
        #expect(made.type == .photo && made.device == device.known.id && made.digest == ContentDigest(of: body))
        #expect(made.contentType == PhotoBody.contentType && made.epoch == 0 && made.runner == nil)
        #expect(parts.store.requests.isEmpty)
        #expect(try await interim() == nil)
    }

    @Test("each version is answered in its own words", arguments: InteropVersion.allCases)
    func versions(version: InteropVersion) async throws {
        var fields = emptyFields
        fields[.uploadComplete] = nil
        fields[version.completenessName] = version.completeness(false)
        fields[.uploadDraftInteropVersion] = String(version.rawValue)
        let response = try await send(fields)
        #expect(response.status == .created && response.headers[.uploadDraftInteropVersion] == String(version.rawValue))
        for name in [HTTPField.Name.uploadComplete, .uploadIncomplete] {
            #expect(response.headers[name] == (name == version.completenessName ? version.completeness(false) : nil))
        }
        let age = version == .six ? "expires" : "max-age"
        #expect(response.headers[.uploadLimit]?.hasPrefix("max-size=\(SizeLimits.capture), \(age)=") == true)
    }

    @Test("a part that names no version counts as of version 8, and is sent no 104")
    func unnamed() async throws {
        var fields = partFields
        fields[.uploadDraftInteropVersion] = nil
        let response = try await send(fields, bodyStream(head))
        #expect(response.status == .created && response.headers[.uploadDraftInteropVersion] == "8")
        #expect(try await interim() == nil)
    }

    @Test("a plain upload is left to others, unread and uncounted: one without these fields, and a whole one that lacks some of them")
    func plain() async throws {
        for names in [[.uploadComplete, .uploadDraftInteropVersion], [.uploadComplete], [.reprDigest]] as [[HTTPField.Name]] {
            var fields = wholeFields
            for name in names { fields[name] = nil }
            #expect(try await send(fields).status == Self.passedOn)
        }
        #expect(isUntouched && parts.buckets.names.isEmpty)
    }

    @Test("an empty one of the same body finds the upload, which has only its new address from then on")
    func found() async throws {
        let first = try await send(partFields, bodyStream(head))
        let second = try await send(emptyFields)
        #expect(second.status == .created && second.headers[.uploadOffset] == "10")
        #expect(try await upload(of: first) == nil)
        let found = try #require(try await upload(of: second))
        #expect(parts.uploads.now.order == [found.id] && found.state == .open && found.runner == nil)
    }

    @Test("one with content begins anew, and what was stored before goes")
    func replaced() async throws {
        let begun = try await send(partFields, bodyStream(head))
        let first = try #require(try await upload(of: begun))
        let second = try await send(wholeFields, bodyStream(body))
        let capture = try #require(try await upload(of: second)?.answer?.capture.captureID)
        #expect(second.status == .created && parts.uploads.now.entries[first.id]?.state == .ended)
        try await eventually("the segments of both are deleted") { parts.store.keys == parts.keys(of: capture) }
    }

    @Test("one whose body has become a capture is answered with that as it is by then, unread, and counts as a creation only")
    func recorded() async throws {
        let first = try await send(wholeFields, bodyStream(body))
        let capture = try #require(parts.captures.now.captures.keys.first)
        parts.captures.set(.complete, of: capture)
        for fields in [wholeFields, emptyFields] {
            let again = try await send(fields)
            #expect(again.status == .ok && again.headers[.uploadComplete] == "?1" && again.headers[.rateLimitLimit] == nil)
            #expect(again.headers[.contentLocation] == APIPath.capture(capture))
            let data = try await again.json()["data"] as? [String: Any]
            #expect(data?["capture_id"] as? String == capture.description && data?["status"] as? String == "complete")
            #expect(again.headers[.location] != first.headers[.location])
            #expect(try await upload(of: again)?.state == .done)
        }
        #expect(try await upload(of: first) == nil)
        #expect(parts.captures.now.captures.count == 1 && parts.uploads.now.entries.count == 1 && parts.hasPlace)
    }

    @Test("an empty one of a body whose capture was never answered finds that capture, not an open upload")
    func unanswered() async throws {
        parts.captures.fail(with: .answerLost)
        parts.uploads.failToFinish(with: Cut())
        _ = try await send(wholeFields, bodyStream(body))
        let capture = try #require(parts.captures.now.captures.keys.first)
        let found = try await send(emptyFields)
        #expect(found.status == .ok && found.headers[.uploadComplete] == "?1")
        let data = try await found.json()["data"] as? [String: Any]
        #expect(data?["capture_id"] as? String == capture.description)
        #expect(try await upload(of: found)?.answer?.capture.captureID == capture)
    }

    @Test(
        "what is no form, or says too much of it, is refused before it counts",
        arguments: [
            ("application/octet-stream", .unsupportedMediaType, []), ("multipart/form-data", .validationError, ["Content-Type"]),
            (Self.longType(1001), .validationError, ["Content-Type"]),
        ] as [(String, ErrorCode, [String])])
    func otherType(type: String, code: ErrorCode, field: [String]) async throws {
        var fields = emptyFields
        fields[.contentType] = type
        let refused = try await send(fields)
        let named = try await refused.expectRefusal(code)
        #expect(named == field && refused.headers[.uploadDraftInteropVersion] == "6")
        #expect(isUntouched && parts.buckets.names.isEmpty)
    }

    private static func longType(_ bytes: Int) -> String {
        let type = PhotoBody.contentType + "; a="
        return type + String(repeating: "a", count: bytes - type.utf8.count)
    }

    @Test("a type of a thousand bytes is taken")
    func longestType() async throws {
        var fields = emptyFields
        fields[.contentType] = Self.longType(1000)
        #expect(try await send(fields).status == .created)
    }

    @Test(
        "a photo and a video have each their own largest size",
        arguments: [(APIPath.captures, CaptureType.photo), (APIPath.videos, .video)])
    func largest(path: String, type: CaptureType) async throws {
        let digest = ContentDigest(of: body)
        let large = try await send(UploadOfferTests.empty(of: digest, length: type.bodyLimit + 1), to: path)
        try await large.expectRefusal(.payloadTooLarge)
        #expect(isUntouched && parts.buckets.names.isEmpty)
        let largest = try await send(UploadOfferTests.empty(of: digest, length: type.bodyLimit), to: path)
        #expect(largest.status == .created)
        #expect(try await upload(of: largest)?.type == type)
    }

    @Test("a part that lacks something, or whose lengths contradict each other, is refused in the words of a version that is known")
    func fields() async throws {
        let changes: [((inout HTTPFields) -> Void, ErrorCode, [String], String)] = [
            ({ $0[.uploadLength] = nil }, .validationError, ["Upload-Length"], "6"),
            ({ $0[.uploadDraftInteropVersion] = "2" }, .validationError, ["Upload-Draft-Interop-Version"], "8"),
            ({ $0[.contentLength] = $0[.uploadLength].map { $0 + "0" } }, .uploadLengthInconsistent, [], "6"),
        ]
        for (change, code, field, version) in changes {
            var fields = emptyFields
            change(&fields)
            let refused = try await send(fields)
            let named = try await refused.expectRefusal(code)
            #expect(named == field && refused.headers[.uploadDraftInteropVersion] == version)
        }
        #expect(isUntouched && parts.buckets.names.isEmpty)
    }

    @Test("who may not send is refused before the body is read, and only failed signatures count")
    func refusedDevices() async throws {
        let (stranger, revoked) = (try SigningDevice(), try SigningDevice(isRevoked: true))
        parts.devices.add(revoked.known)
        let digest = ContentDigest(of: body)
        let refused: [(HTTPFields, ErrorCode)] = [
            (try revoked.signature(of: digest), .deviceRevoked), (try stranger.signature(of: digest), .deviceNotRegistered),
            (try device.signature(of: digest, at: Date(timeIntervalSinceNow: -301)), .timestampExpired),
            (try device.signature(of: ContentDigest(of: head)), .signatureInvalid),
            (try device.signature(of: digest, to: APIPath.videos), .signatureInvalid),
        ]
        for (signature, code) in refused {
            for fields in [wholeFields, partFields, emptyFields] {
                let response = try await send(fields, signature: signature)
                try await response.expectRefusal(code)
                #expect(response.headers[.uploadDraftInteropVersion] == "6")
            }
        }
        #expect(isUntouched && parts.buckets.names == ["auth-failure:\(UploadFixture.address)"])
        #expect(try await interim() == nil)
    }

    @Test("beyond the limit of its device nothing is created; videos have another limit")
    func limitOfDevice() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_BURST": "1"])
        try await limited.count(.photo, of: device.known)
        for fields in [wholeFields, emptyFields] {
            let refused = try await send(fields, by: limited)
            try await refused.expectRefusal(.rateLimited, retryAfter: "360")
            #expect(refused.headers[.rateLimitLimit] == "1" && refused.headers[.uploadDraftInteropVersion] == "6")
        }
        #expect(isUntouched && parts.buckets.names == ["capture:\(device.known.id)"])
        #expect(try await send(emptyFields, to: APIPath.videos, by: limited).status == .created)
    }

    @Test("a device creates ten times as many as it may send, and no more, whatever becomes of them")
    func creations() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_BURST": "1"])
        let rule = limited.limits.captures(.photo, ofVerified: true).creations
        for _ in 0..<9 { _ = try await parts.buckets.debit(rule, device.known.id.description) }
        #expect(try await send(emptyFields, by: limited).status == .created)
        let refused = try await send(wholeFields, by: limited)
        try await refused.expectRefusal(.rateLimited, retryAfter: "36")
        #expect(refused.headers[.rateLimitLimit] == "10")
        #expect(parts.uploads.now.entries.count == 1 && parts.store.requests.isEmpty && parts.hasPlace)
    }

    @Test("a device has ten open uploads; another one is refused until the first expires")
    func tooMany() async throws {
        for number in 0..<10 {
            let fields = UploadOfferTests.empty(of: ContentDigest(of: [UInt8(number)]), length: body.count)
            #expect(try await send(fields).status == .created)
        }
        let refused = try await send(wholeFields)
        let seconds = try #require(refused.headers[.retryAfter])
        try await refused.expectRefusal(.rateLimited, retryAfter: seconds)
        #expect((80_000...86_400).contains(Int(seconds) ?? 0) && refused.headers[.rateLimitLimit] == nil)
        #expect(parts.uploads.now.entries.count == 10 && parts.store.requests.isEmpty && parts.hasPlace)
        parts.uploads.expire(try #require(parts.uploads.now.order.first))
        #expect(try await send(wholeFields, bodyStream(body)).status == .created)
    }

    @Test("without a place no content is read and nothing is created or counted, until there is one")
    func places() async throws {
        let held = try parts.permits.acquire(address: "192.0.2.9")
        try await send(wholeFields).expectRefusal(.serviceUnavailable, retryAfter: "1")
        #expect(parts.uploads.now.entries.isEmpty && parts.buckets.names.isEmpty)
        held.release()
        #expect(try await send(wholeFields, bodyStream(body)).status == .created)
    }

    @Test("a device, and an address, that has its places already gets no other")
    func crowded() async throws {
        for (crowded, held) in try parts.crowded(by: device.known) {
            let refused = try await send(partFields, by: crowded)
            try await refused.expectRefusal(.rateLimited, retryAfter: "5")
            #expect(refused.headers[.rateLimitLimit] == nil)
            held.release()
            #expect(try await send(partFields, bodyStream(head), by: crowded).status == .created)
        }
    }

    @Test("a place that is kept for verified devices is theirs alone", arguments: [true, false])
    func reserved(isVerified: Bool) async throws {
        let sender = try SigningDevice(isVerified: isVerified)
        parts.devices.add(sender.known)
        let response = try await send(
            partFields, isVerified ? bodyStream(head) : unreadStream(), signature: try sender.signature(of: ContentDigest(of: body)),
            by: parts.with(.init(total: 1, reserved: 1)))
        if isVerified {
            #expect(response.status == .created)
        } else {
            try await response.expectRefusal(.serviceUnavailable, retryAfter: "1")
        }
    }

    @Test("a body that is not the one that was signed ends its upload and leaves nothing; the connection stays")
    func otherBody() async throws {
        var other = body
        other[other.count / 2] ^= 1
        let refused = try await send(wholeFields, bodyStream(other))
        try await refused.expectRefusal(.digestMismatch)
        #expect(refused.headers[.uploadDraftInteropVersion] == "6")
        #expect(parts.uploads.now.entries.values.map(\.state) == [.ended])
        #expect(parts.store.keys.isEmpty && parts.captures.now.captures.isEmpty && parts.captures.now.intakes.isEmpty && parts.hasPlace)
        #expect(await connection.isConnected)
    }

    @Test("of a body that ends early, or breaks off, what came is kept for a request that goes on", arguments: [false, true])
    func interrupted(isBroken: Bool) async throws {
        let refused = try await send(wholeFields, bodyStream(head, breakingOff: isBroken ? Cut() : nil))
        try await refused.expectRefusal(.validationError)
        let entry = try #require(parts.uploads.now.entries.values.first)
        #expect(entry.isUsable && entry.offset == 10 && entry.runner == nil && parts.hasPlace)
        #expect(await connection.isConnected)
    }

    @Test("one whose limit is reached while it comes is not recorded, but all of it is kept")
    func limitReached() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_BURST": "1"])
        let content = bodyStream(body, meanwhile: { [device] in try await limited.count(.photo, of: device.known) })
        try await send(wholeFields, content, by: limited).expectRefusal(.rateLimited, retryAfter: "360")
        let entry = try #require(parts.uploads.now.entries.values.first)
        #expect(entry.isUsable && entry.offset == Int64(body.count) && entry.runner == nil && parts.hasPlace)
        #expect(parts.captures.now.captures.isEmpty)
        #expect(await connection.isConnected)
    }

    @Test(
        "a failure of ours ends the connection of a client that knows where to go on, and is told to another one",
        arguments: [true, false], [true, false])
    func failed(knowsAddress: Bool, isStore: Bool) async throws {
        if isStore { parts.store.refuse { $0.verb == .put ? .unavailable : nil } }
        var fields = partFields
        if !knowsAddress { fields[.uploadDraftInteropVersion] = nil }
        let response = try await send(fields, bodyStream(head, breakingOff: isStore ? nil : BodyPace.Failure.late))
        try await response.expectRefusal(isStore ? .storageError : .serviceUnavailable, retryAfter: isStore ? "5" : "1")
        let entry = try #require(parts.uploads.now.entries.values.first)
        #expect(entry.isUsable && entry.offset == (isStore ? 0 : 10) && entry.runner == nil && parts.hasPlace)
        #expect(await connection.isConnected == !knowsAddress)
    }
}
