import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests with hash-only captures")
struct HashOnlyCapturesTests {
    private struct Cut: Error {}

    /// Of a request that is for another kind of upload.
    private static let passedOn = HTTPResponse.Status.notImplemented
    private let parts: UploadFixture
    private let device: SigningDevice
    private let body: [UInt8]

    init() throws {
        parts = try UploadFixture()
        device = try SigningDevice()
        body = try Self.bytes(of: HashOnlySamples.payload(), by: device)
        parts.devices.add(device.known)
    }

    private static func bytes(of payload: HashOnlyPayload, by device: SigningDevice) throws -> [UInt8] {
        var simulated = device.simulated
        return try HashOnlySubmissionTests.body(payload.bytes(), &simulated)
    }

    /// The fields of a request whose body the device has signed.
    private func fields(_ body: [UInt8], by device: SigningDevice? = nil, type: String? = "application/json") throws -> HTTPFields {
        var fields = try (device ?? self.device).signature(of: ContentDigest(of: body))
        fields[.contentType] = type
        return fields
    }

    private func respond(
        _ fields: HTTPFields, _ content: AsyncThrowingStream<ByteBuffer, any Error>, by parts: UploadFixture? = nil,
        begun: ContinuousClock.Instant = .now
    ) async throws -> Response {
        let parts = parts ?? self.parts
        let captures = HashOnlyCaptures(
            authenticator: parts.authenticator, upload: HashOnlyUpload(captures: parts.captures), uploads: parts.permits,
            rates: parts.rates, publicURL: publicURL)
        var routes = Routes()
        routes.post(APIPath.captures) { request, context in
            let address = ClientAddress(request, context, trusting: [])
            let headers = try SignatureHeaders(request.headers)
            return try await captures.respond(to: request, headers, from: address, context) ?? Response(status: Self.passedOn)
        }
        let request = makeRequest(.post, APIPath.captures, fields, content: content)
        var context = try makeContext(from: UploadFixture.address)
        context.begun = begun
        return try await routes.respond(to: request, context)
    }

    private func send(_ body: [UInt8], by parts: UploadFixture? = nil) async throws -> Response {
        try await respond(try fields(body), bodyStream(body), by: parts)
    }

    /// Whether nothing came of any request, and no place is taken.
    private var isUntouched: Bool {
        parts.captures.now.captures.isEmpty && parts.captures.now.announced.isEmpty && parts.hasPlace
    }

    @Test(
        "one is recorded and announced; the answer has its address and what is left of the limit, which is that of photos",
        arguments: CaptureType.allCases)
    func accepted(type: CaptureType) async throws {
        let response = try await send(try Self.bytes(of: type == .photo ? HashOnlySamples.payload() : HashOnlySamples.video(), by: device))
        #expect(response.status == .created)
        #expect(response.headers[.rateLimitLimit] == "100" && response.headers[.rateLimitRemaining] == "99")
        let data = try await response.json()["data"] as? [String: Any]
        let id = try #require((data?["capture_id"] as? String).flatMap { CaptureID($0) })
        #expect(response.headers[.location] == APIPath.capture(id))
        #expect(data?["status"] as? String == "processing" && data?["verification_url"] as? String == "\(publicURL)/verify/\(id)")
        // A photo has no type.
        #expect(data?["type"] as? String == (type == .photo ? nil : "video"))
        #expect(parts.captures.now.announced == [id.description])
        let row = try #require(try await parts.captures.find(id))
        #expect(row.deviceID == device.known.id && row.kind.mode == .hashOnly && row.kind.type == type)
        #expect(parts.buckets.names == ["capture:\(device.known.id)", "capture-address:\(UploadFixture.address)"])
        #expect(parts.hasPlace)
    }

    @Test("the same again is answered with the same capture as it is by then, and counts once more")
    func again() async throws {
        let first = try await send(body)
        let id = try #require(parts.captures.now.captures.keys.first)
        parts.captures.set(.complete, of: id)
        let second = try await send(body)
        #expect(second.status == .ok && second.headers[.location] == first.headers[.location])
        #expect(second.headers[.rateLimitRemaining] == "98")
        let data = try await second.json()["data"] as? [String: Any]
        #expect(data?["capture_id"] as? String == id.description && data?["status"] as? String == "complete")
        #expect(parts.captures.now.captures.count == 1)
    }

    @Test("one that had begun when its device withdrew a capture is to be sent again, and recorded if it begins later")
    func withdrawnMeanwhile() async throws {
        _ = try await send(body)
        let id = try #require(parts.captures.now.captures.keys.first)
        #expect(try await parts.captures.withdraw(id, by: device.known.id) == .withdrawn)
        try await send(body).expectRefusal(.serviceUnavailable, retryAfter: "5")
        #expect(parts.captures.now.captures.count == 1 && parts.hasPlace)
        let later = try await respond(try fields(body), bodyStream(body), begun: ContinuousClock.now + .seconds(60))
        #expect(later.status == .created && parts.captures.now.captures.count == 2)
    }

    @Test(
        "a request of another type is left to others, unread and uncounted",
        arguments: [nil, "multipart/form-data; boundary=x", "application/json2"] as [String?])
    func otherType(name: String?) async throws {
        let response = try await respond(try fields(body, type: name), unreadStream())
        #expect(response.status == Self.passedOn && isUntouched && parts.buckets.names.isEmpty)
    }

    @Test("the type may have another case and parameters")
    func typeWithParameters() async throws {
        let response = try await respond(try fields(body, type: "Application/JSON; charset=utf-8"), bodyStream(body))
        #expect(response.status == .created)
    }

    @Test("one that says that it is too large is refused before anything else; at the limit it is read")
    func declaredTooLarge() async throws {
        var fields = try fields(body, by: SigningDevice())
        fields[.contentLength] = String(SizeLimits.hashOnlyBody + 1)
        try await respond(fields, unreadStream()).expectRefusal(.payloadTooLarge)
        #expect(isUntouched && parts.buckets.names.isEmpty)
        fields = try self.fields(body)
        fields[.contentLength] = String(SizeLimits.hashOnlyBody)
        #expect(try await respond(fields, bodyStream(body)).status == .created)
    }

    @Test("who may not send is refused before the body is read; signature version 1 is not allowed")
    func refusedDevices() async throws {
        let (stranger, revoked) = (try SigningDevice(), try SigningDevice(isRevoked: true))
        parts.devices.add(revoked.known)
        let digest = ContentDigest(of: body)
        let refused: [(HTTPFields, ErrorCode, [String])] = [
            (try revoked.signature(of: digest), .deviceRevoked, []), (try stranger.signature(of: digest), .deviceNotRegistered, []),
            (try device.signature(of: digest, at: Date(timeIntervalSinceNow: -301)), .timestampExpired, []),
            (try device.signature(of: digest, version: 1), .signatureInvalid, [DeviceHeader.signatureVersion.rawValue]),
        ]
        for (signature, code, field) in refused {
            var fields = signature
            fields[.contentType] = "application/json"
            let named = try await respond(fields, unreadStream()).expectRefusal(code)
            #expect(named == field)
        }
        #expect(isUntouched && parts.buckets.names == ["auth-failure:\(UploadFixture.address)"])
    }

    @Test("one that is not what the device has signed is refused, and counts against the address alone")
    func otherBody() async throws {
        let response = try await respond(try fields(Array("{}".utf8)), bodyStream(body))
        try await response.expectRefusal(.signatureInvalid)
        #expect(isUntouched && parts.buckets.names == ["auth-failure:\(UploadFixture.address)"])
    }

    @Test("one of a device that is not attested is refused, and does not count")
    func unattested() async throws {
        let device = try SigningDevice(isVerified: false)
        parts.devices.add(device.known)
        let body = try Self.bytes(of: HashOnlySamples.payload(), by: device)
        try await respond(try fields(body, by: device), bodyStream(body)).expectRefusal(.attestationFailed)
        #expect(isUntouched && parts.buckets.names.isEmpty)
    }

    @Test("a body that is no capture, or is too large without saying so, is refused and does not count", arguments: [false, true])
    func malformed(isTooLarge: Bool) async throws {
        let body = isTooLarge ? [UInt8](repeating: 0x20, count: SizeLimits.hashOnlyBody + 1) : Array("{}".utf8)
        try await send(body).expectRefusal(isTooLarge ? .payloadTooLarge : .validationError)
        #expect(isUntouched && parts.buckets.names.isEmpty)
    }

    @Test("a body that comes too slowly is the network's fault; it leaves nothing and does not count")
    func slow() async throws {
        let content = bodyStream(Array(body.prefix(10)), breakingOff: BodyPace.Failure.slow)
        try await respond(try fields(body), content).expectRefusal(.serviceUnavailable, retryAfter: "1")
        #expect(isUntouched && parts.buckets.names.isEmpty)
    }

    @Test("where the body or the database fails otherwise, the fault is ours and the place is free again", arguments: [false, true])
    func failed(isDatabase: Bool) async throws {
        if isDatabase { parts.captures.fail(with: .rolledBack) }
        let content = bodyStream(body, breakingOff: isDatabase ? nil : Cut())
        try await respond(try fields(body), content).expectRefusal(.internalError)
        #expect(isUntouched)
    }

    @Test("beyond the limit of its device, which is not that of videos, none is read")
    func limitOfDevice() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_BURST": "1"])
        try await limited.count(.video, of: device.known)
        #expect(try await send(body, by: limited).status == .created)
        let refused = try await respond(try fields(body), unreadStream(), by: limited)
        try await refused.expectRefusal(.rateLimited, retryAfter: "360")
        #expect(refused.headers[.rateLimitLimit] == "1" && refused.headers[.rateLimitRemaining] == "0")
        #expect(parts.captures.now.captures.count == 1 && parts.hasPlace)
    }

    @Test("beyond the limit of its address none is read, whatever device sends it")
    func limitOfAddress() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR": "1"])
        #expect(try await send(body, by: limited).status == .created)
        let other = try SigningDevice()
        parts.devices.add(other.known)
        let refused = try await respond(try fields(body, by: other), unreadStream(), by: limited)
        try await refused.expectRefusal(.rateLimited, retryAfter: "3600")
        #expect(parts.captures.now.captures.count == 1 && parts.hasPlace)
    }

    @Test("one whose limit is reached while it comes is not recorded")
    func limitReached() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_BURST": "1"])
        let content = bodyStream(body, meanwhile: { [device] in try await limited.count(.photo, of: device.known) })
        try await respond(try fields(body), content, by: limited).expectRefusal(.rateLimited, retryAfter: "360")
        #expect(isUntouched)
    }

    @Test("without a place none is read and none counts, until there is one")
    func places() async throws {
        let held = try parts.permits.acquire(address: "192.0.2.9")
        try await respond(try fields(body), unreadStream()).expectRefusal(.serviceUnavailable, retryAfter: "1")
        #expect(parts.buckets.names.isEmpty)
        held.release()
        #expect(try await send(body).status == .created)
    }

    @Test("a device, and an address, that has its places already gets no other")
    func crowded() async throws {
        for (crowded, held) in try parts.crowded(by: device.known) {
            let refused = try await respond(try fields(body), unreadStream(), by: crowded)
            try await refused.expectRefusal(.rateLimited, retryAfter: "5")
            // It is no limit over time.
            #expect(refused.headers[.rateLimitLimit] == nil)
            held.release()
            #expect(try await send(body, by: crowded).status.kind == .successful)
        }
    }

    @Test("a place that is kept for verified devices is theirs alone", arguments: [true, false])
    func reserved(isVerified: Bool) async throws {
        let sender = try SigningDevice(isVerified: isVerified)
        parts.devices.add(sender.known)
        let body = try Self.bytes(of: HashOnlySamples.payload(), by: sender)
        let response = try await respond(
            try fields(body, by: sender), isVerified ? bodyStream(body) : unreadStream(), by: parts.with(.init(total: 1, reserved: 1)))
        if isVerified {
            #expect(response.status == .created)
        } else {
            try await response.expectRefusal(.serviceUnavailable, retryAfter: "1")
        }
    }
}
