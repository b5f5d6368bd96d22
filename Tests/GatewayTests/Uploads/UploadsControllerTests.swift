import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests to uploads that resume")
struct UploadsControllerTests {
    private struct Cut: Error {}

    /// Ends a request's content when it is told to, as the handler of a connection does.
    private final class Stopper: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTPRequestPart
        private let stop: @Sendable () -> Void

        init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { if event is BodyStop { stop() } }
    }

    private let parts: UploadFixture
    private let connection: NIOAsyncTestingChannel
    private let device: KnownDevice
    private let body: [UInt8]

    init() async throws {
        parts = try UploadFixture()
        connection = try await makeConnection(from: UploadFixture.address)
        device = try SigningDevice().known
        body = try PhotoBody().bytes()
        parts.devices.add(device)
    }

    /// An open upload that belongs to no request.
    /// - Parameter bytes: of the body, if it is another one.
    private func begin(_ bytes: [UInt8]? = nil, of device: KnownDevice? = nil) async throws -> (id: UploadID, token: UploadToken) {
        let (bytes, token) = (bytes ?? body, UploadToken.random())
        let creation = try await parts.uploads.create(
            UploadRepositoryTests.offer(bytes, length: bytes.count), .photo, contentType: PhotoBody.contentType,
            device: (device ?? self.device).id, token: token, runner: nil)
        guard case .new(let upload, nil) = creation else {
            Issue.record("not a new upload")
            throw CancellationError()
        }
        return (upload.id, token)
    }

    /// An upload that has become a capture.
    private func completed() async throws -> (id: UploadID, token: UploadToken, capture: CaptureID) {
        let (id, token) = try await begin()
        return (id, token, try await complete(id))
    }

    /// Completes an upload as another request does.
    private func complete(_ id: UploadID) async throws -> CaptureID {
        let capture = CaptureID()
        let accepted = AcceptedCapture(
            captureID: capture, type: nil, status: .processing, verificationURL: "\(publicURL)/verify/\(capture)")
        try await parts.uploads.finish(id, UploadAnswer(isNew: true, capture: accepted))
        return capture
    }

    private func path(_ token: UploadToken) -> String { "\(APIPath.uploads)/\(token.text)" }

    private func respond(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:],
        _ content: AsyncThrowingStream<ByteBuffer, any Error> = unreadStream(), by parts: UploadFixture? = nil,
        behind proxies: [AddressRange] = [], begun: ContinuousClock.Instant = .now
    ) async throws -> Response {
        let parts = parts ?? self.parts
        var routes = Routes()
        UploadsController(
            resumable: parts.resumable, permits: parts.permits, responses: UploadResponses(publicURL: publicURL), trustedProxies: proxies
        ).addRoutes(to: &routes)
        var context = makeContext(on: connection)
        context.begun = begun
        return try await routes.respond(to: makeRequest(method, path, fields, content: content), context)
    }

    private static func naming(_ version: InteropVersion) -> HTTPFields { [.uploadDraftInteropVersion: String(version.rawValue)] }

    /// The fields of a `PATCH`.
    /// - Parameter length: of its content.
    private static func fields(at offset: Int, length: Int, isComplete: Bool, version: InteropVersion = .eight) -> HTTPFields {
        var fields = naming(version)
        fields[.uploadOffset] = String(offset)
        fields[.contentLength] = String(length)
        fields[version.completenessName] = version.completeness(isComplete)
        if version.hasPartialUploadType { fields[.contentType] = UploadHeader.partialType }
        return fields
    }

    /// Adds bytes of the body.
    /// - Parameter end: of what is added; `nil` for that of the body, which ends with it.
    private func append(
        from offset: Int = 0, to end: Int? = nil, of token: UploadToken, version: InteropVersion = .eight, by parts: UploadFixture? = nil,
        begun: ContinuousClock.Instant = .now
    ) async throws -> Response {
        let content = Array(body[offset..<(end ?? body.count)])
        let fields = Self.fields(at: offset, length: content.count, isComplete: end == nil, version: version)
        return try await respond(.patch, path(token), fields, bodyStream(content), by: parts, begun: begun)
    }

    /// Whether the upload may be continued from here, and no request has it or a place.
    private func isFree(_ id: UploadID, at offset: Int) -> Bool {
        guard let entry = parts.uploads.now.entries[id] else { return false }
        return entry.isUsable && entry.offset == Int64(offset) && entry.runner == nil && parts.hasPlace
    }

    private func state(of id: UploadID) -> Upload.State? { parts.uploads.now.entries[id]?.state }

    @Test(
        "a client may ask what may be sent where, and is answered in the words of its version",
        arguments: [(APIPath.captures, SizeLimits.capture), (APIPath.videos, SizeLimits.videoCapture)])
    func options(path: String, largest: Int) async throws {
        for (named, told, age) in [(nil, "8", "max-age"), ("6", "6", "expires"), ("2", "8", "max-age")] as [(String?, String, String)] {
            var fields: HTTPFields = [:]
            fields[.uploadDraftInteropVersion] = named
            let response = try await respond(.options, path, fields)
            #expect(response.status == .noContent && response.headers[.acceptPatch] == "application/partial-upload")
            #expect(response.headers[.uploadLimit] == "max-size=\(largest), \(age)=86400")
            #expect(response.headers[.uploadDraftInteropVersion] == told)
        }
    }

    @Test(
        "an unknown upload is 404, and one that has ended or expired is 410, whatever is asked of it",
        arguments: [.head, .get, .patch, .delete] as [HTTPRequest.Method])
    func absent(method: HTTPRequest.Method) async throws {
        let (ended, expired) = (try await begin([1]), try await begin([2]))
        #expect(try await parts.uploads.end(ended.id))
        parts.uploads.expire(expired.id)
        let fields = Self.fields(at: 0, length: 1, isComplete: true)
        let places: [(String, ErrorCode)] = [
            (path(.random()), .notFound), ("\(APIPath.uploads)/x", .notFound), (path(ended.token), .gone),
            (path(expired.token), .gone),
        ]
        for (place, code) in places {
            let response = try await respond(method, place, fields)
            #expect(response.status == code.status && response.headers[.uploadDraftInteropVersion] == "8")
            // An answer to HEAD has no body.
            if method != .head { try await response.expectRefusal(code) }
        }
        #expect(parts.store.requests.isEmpty && parts.hasPlace)
    }

    @Test(
        "a version that is not known is refused before the upload is touched, whatever is asked of it",
        arguments: [.head, .get, .patch, .delete] as [HTTPRequest.Method])
    func unknownVersion(method: HTTPRequest.Method) async throws {
        let (id, token) = try await begin()
        var fields = Self.fields(at: 0, length: body.count, isComplete: true)
        fields[.uploadDraftInteropVersion] = "2"
        let response = try await respond(method, path(token), fields)
        #expect(response.status == .badRequest && response.headers[.uploadDraftInteropVersion] == "8")
        if method != .head {
            let named = try await response.expectRefusal(.validationError)
            #expect(named == ["Upload-Draft-Interop-Version"])
        }
        #expect(isFree(id, at: 0) && parts.uploads.now.entries[id]?.epoch == 0)
    }

    @Test("it is told how much is stored, and no earlier request adds to it from then on", arguments: InteropVersion.allCases)
    func stored(version: InteropVersion) async throws {
        let (id, token) = try await begin()
        _ = try await append(to: 10, of: token)
        let before = try #require(try await parts.uploads.find(id))
        let response = try await respond(.head, path(token), Self.naming(version))
        #expect(response.status == .noContent && response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.uploadDraftInteropVersion] == String(version.rawValue))
        #expect(response.headers[.uploadOffset] == "10" && response.headers[.uploadLength] == String(body.count))
        #expect(response.headers[version.completenessName] == version.completeness(false))
        let age = version == .six ? "expires" : "max-age"
        #expect(response.headers[.uploadLimit]?.hasPrefix("max-size=\(SizeLimits.capture), \(age)=") == true)
        #expect(response.headers[.contentLocation] == nil)
        #expect(isFree(id, at: 10))
        #expect(try await !parts.uploads.grow(before, from: 10, by: 1, key: UploadSegment.key(id, start: 10, epoch: before.epoch)))
    }

    @Test("of a complete one the capture is told, too")
    func storedAll() async throws {
        let (_, token, capture) = try await completed()
        let response = try await respond(.head, path(token))
        #expect(response.status == .noContent && response.headers[.contentLocation] == APIPath.capture(capture))
        #expect(response.headers[.uploadComplete] == "?1" && response.headers[.uploadLength] == String(body.count))
    }

    @Test("one that another gateway completes while it is asked to stop is complete")
    func completedMeanwhile() async throws {
        let (id, token) = try await begin()
        _ = try #require(try await parts.uploads.begin(token, runner: UUID()))
        parts.uploads.whenAsked { _ = try await complete($0) }
        let response = try await respond(.head, path(token))
        let capture = try #require(parts.uploads.now.entries[id]?.answer?.capture.captureID)
        #expect(response.status == .noContent && response.headers[.contentLocation] == APIPath.capture(capture))
        #expect(response.headers[.uploadComplete] == "?1" && parts.uploads.now.asked == [id])
    }

    @Test("the answer is kept, and told as often as it is asked for", arguments: InteropVersion.allCases)
    func answer(version: InteropVersion) async throws {
        let (_, token, capture) = try await completed()
        for _ in 0..<2 {
            let response = try await respond(.get, path(token), Self.naming(version))
            #expect(response.status == .ok && response.headers[.cacheControl] == "no-store")
            #expect(response.headers[.contentLocation] == APIPath.capture(capture))
            #expect(response.headers[.uploadDraftInteropVersion] == String(version.rawValue))
            #expect(response.headers[version.completenessName] == version.completeness(true))
            let data = try await response.json()["data"] as? [String: Any]
            #expect(data?["capture_id"] as? String == capture.description && data?["status"] as? String == "processing")
            #expect(data?["verification_url"] as? String == "\(publicURL)/verify/\(capture)")
        }
    }

    @Test("there is no answer before it is complete, and asking for one takes it from no request")
    func noAnswer() async throws {
        let (id, token) = try await begin()
        _ = try #require(try await parts.uploads.begin(token, runner: parts.runs.instance))
        let refused = try await respond(.get, path(token))
        try await refused.expectRefusal(.uploadIncomplete)
        #expect(refused.headers[.uploadDraftInteropVersion] == "8")
        #expect(parts.uploads.now.entries[id]?.epoch == 1 && parts.uploads.now.entries[id]?.runner == parts.runs.instance)
    }

    @Test("one that is cancelled ends, what was stored goes, and other gateways stop adding to it; then it is gone")
    func cancelled() async throws {
        let (id, token) = try await begin()
        _ = try await append(to: 10, of: token)
        let response = try await respond(.delete, path(token), Self.naming(.six))
        #expect(response.status == .noContent && response.headers[.uploadDraftInteropVersion] == "6")
        #expect(state(of: id) == .ended && parts.store.keys.isEmpty && parts.uploads.now.asked == [id])
        try await respond(.delete, path(token)).expectRefusal(.gone)
    }

    @Test("one that is complete is not cancelled")
    func notCancelled() async throws {
        let (id, token, capture) = try await completed()
        let refused = try await respond(.delete, path(token))
        try await refused.expectRefusal(.uploadCompleted)
        #expect(refused.headers[.contentLocation] == APIPath.capture(capture) && refused.headers[.uploadDraftInteropVersion] == "8")
        #expect(state(of: id) == .done)
    }

    @Test("what a request adds is kept, and the answer says how much there is", arguments: InteropVersion.allCases)
    func part(version: InteropVersion) async throws {
        let (id, token) = try await begin()
        let response = try await append(to: 10, of: token, version: version)
        #expect(response.status == .noContent && response.headers[.uploadOffset] == "10")
        #expect(response.headers[.cacheControl] == "no-store" && response.headers[.location] == nil)
        #expect(response.headers[.uploadDraftInteropVersion] == String(version.rawValue))
        #expect(response.headers[version.completenessName] == version.completeness(false))
        #expect(isFree(id, at: 10) && parts.store.bytes(UploadSegment.key(id, start: 0, epoch: 1)) == Array(body.prefix(10)))
        #expect(parts.captures.now.captures.isEmpty && parts.buckets.names.isEmpty)
    }

    @Test("with the last byte it becomes a capture, as a plain one does", arguments: InteropVersion.allCases)
    func last(version: InteropVersion) async throws {
        let (id, token) = try await begin()
        _ = try await append(to: 10, of: token, version: version)
        let response = try await append(from: 10, of: token, version: version)
        let capture = try #require(parts.uploads.now.entries[id]?.answer?.capture.captureID)
        #expect(response.status == .created && response.headers[.location] == APIPath.capture(capture))
        #expect(response.headers[.contentLocation] == APIPath.capture(capture))
        #expect(response.headers[.uploadDraftInteropVersion] == String(version.rawValue))
        #expect(response.headers[version.completenessName] == version.completeness(true))
        #expect(response.headers[.rateLimitLimit] == "100" && response.headers[.rateLimitRemaining] == "99")
        let data = try await response.json()["data"] as? [String: Any]
        #expect(data?["capture_id"] as? String == capture.description && data?["status"] as? String == "processing")
        #expect(state(of: id) == .done && parts.hasPlace && parts.captures.now.announced == [capture.description])
        try await eventually("its segments are deleted") { parts.store.keys == parts.keys(of: capture) }
    }

    @Test("it is complete as soon as there is a capture of it, whatever fails then, and is not cancelled")
    func recorded() async throws {
        let (id, token) = try await begin()
        parts.uploads.failToFinish(with: Cut())
        _ = try await append(of: token)
        let capture = try #require(parts.captures.now.captures.keys.first)
        let told = try await respond(.head, path(token))
        #expect(told.headers[.uploadComplete] == "?1" && told.headers[.contentLocation] == APIPath.capture(capture))
        let refused = try await respond(.delete, path(token))
        try await refused.expectRefusal(.uploadCompleted)
        #expect(refused.headers[.contentLocation] == APIPath.capture(capture))
        #expect(state(of: id) == .done && parts.hasPlace)
    }

    @Test("one of a body whose earlier upload is forgotten becomes the capture that was made of it")
    func forgotten() async throws {
        let first = try await begin()
        _ = try await append(of: first.token)
        let capture = try #require(parts.captures.now.captures.keys.first)
        parts.uploads.expire(first.id)
        let (id, token) = try await begin()
        let response = try await append(of: token)
        #expect(response.status == .ok && response.headers[.contentLocation] == APIPath.capture(capture))
        #expect(state(of: id) == .done && parts.captures.now.captures.count == 1)
    }

    @Test("an upload whose body the device has sent in one request meanwhile has ended, and makes no second capture")
    func known() async throws {
        let (id, token) = try await begin()
        let body = IncomingBody(type: .photo, boundary: try PhotoBody.boundary(), begun: .now, logger: .quiet)
        let known = try await parts.resumable.acceptance.accept(
            bodyStream(self.body), body, from: device, at: ClientAddress(makeRequest(), makeContext(), trusting: [])
        ) { _ in }
        try await append(of: token).expectRefusal(.gone)
        #expect(state(of: id) == .ended && Array(parts.captures.now.captures.keys) == [known.id])
    }

    @Test("a request that lacks what its version demands is refused before it takes the upload")
    func fields() async throws {
        let (id, token) = try await begin()
        for (name, code) in [(HTTPField.Name.contentType, ErrorCode.unsupportedMediaType), (.uploadOffset, .validationError)] {
            var fields = Self.fields(at: 0, length: body.count, isComplete: true)
            fields[name] = nil
            let refused = try await respond(.patch, path(token), fields)
            let named = try await refused.expectRefusal(code)
            #expect(named == [name.rawName] && refused.headers[.uploadDraftInteropVersion] == "8")
        }
        #expect(isFree(id, at: 0) && parts.uploads.now.entries[id]?.epoch == 0)
    }

    @Test("a request that begins elsewhere is told where to go on, unread", arguments: [0, 9, 11])
    func otherOffset(offset: Int) async throws {
        let (id, token) = try await begin()
        _ = try await append(to: 10, of: token)
        var fields = Self.fields(at: offset, length: 1, isComplete: false)
        let refused = try await respond(.patch, path(token), fields)
        try await refused.expectRefusal(.uploadOffsetMismatch)
        #expect(refused.headers[.uploadOffset] == "10" && isFree(id, at: 10))
        fields[.accept] = "application/problem+json"
        let problem = try await respond(.patch, path(token), fields).json()
        #expect(problem["type"] as? String == "https://iana.org/assignments/http-problem-types#mismatching-upload-offset")
        #expect(problem["expected-offset"] as? Int == 10 && problem["provided-offset"] as? Int == offset)
    }

    @Test("lengths that contradict each other are refused, unread; one that goes beyond the end ends the upload", arguments: Lengths.all)
    func contradictions(lengths: Lengths) async throws {
        let (id, token) = try await begin()
        _ = try await append(to: 10, of: token)
        var fields = Self.fields(at: 10, length: body.count - 10 + lengths.content, isComplete: lengths.isComplete)
        fields[.uploadLength] = lengths.upload.map { String(body.count + $0) }
        try await respond(.patch, path(token), fields).expectRefusal(.uploadLengthInconsistent)
        if lengths.isEnd {
            #expect(state(of: id) == .ended && parts.store.keys.isEmpty && parts.hasPlace)
        } else {
            #expect(isFree(id, at: 10))
            #expect(try await append(from: 10, of: token).status == .created)
        }
    }

    /// By how many bytes a request is wrong.
    struct Lengths {
        /// About the body; `nil` if it says nothing of that.
        var upload: Int?
        /// About what is left of it.
        var content = 0
        var isComplete = true
        /// Whether the upload ends.
        var isEnd = false

        static let all = [
            Lengths(upload: 1), Lengths(upload: -1), Lengths(content: -1), Lengths(content: 1, isEnd: true),
            Lengths(content: 1, isComplete: false, isEnd: true),
        ]
    }

    @Test("nothing is added to one that is complete, whether it was before or another gateway completes it now", arguments: [true, false])
    func complete(wasBefore: Bool) async throws {
        let (id, token) = try await begin()
        if wasBefore {
            _ = try await complete(id)
        } else {
            _ = try #require(try await parts.uploads.begin(token, runner: UUID()))
            parts.uploads.whenAsked { _ = try await complete($0) }
        }
        let refused = try await respond(.patch, path(token), Self.fields(at: 0, length: body.count, isComplete: true))
        try await refused.expectRefusal(.uploadCompleted)
        let capture = try #require(parts.uploads.now.entries[id]?.answer?.capture.captureID)
        #expect(refused.headers[.contentLocation] == APIPath.capture(capture))
        #expect(state(of: id) == .done && parts.store.requests.isEmpty && parts.hasPlace)
    }

    @Test("without a place nothing is read, and the upload belongs to nobody, until there is one")
    func places() async throws {
        let (id, token) = try await begin()
        let held = try parts.permits.acquire(address: "192.0.2.9")
        let refused = try await respond(.patch, path(token), Self.fields(at: 0, length: body.count, isComplete: true))
        try await refused.expectRefusal(.serviceUnavailable, retryAfter: "1")
        held.release()
        #expect(isFree(id, at: 0))
        #expect(try await append(of: token).status == .created)
    }

    @Test("a device, and an address, that has its places already gets no other")
    func crowded() async throws {
        let (id, token) = try await begin()
        for (crowded, held) in try parts.crowded(by: device) {
            let refused = try await respond(.patch, path(token), Self.fields(at: 0, length: 10, isComplete: false), by: crowded)
            try await refused.expectRefusal(.rateLimited, retryAfter: "5")
            held.release()
            #expect(isFree(id, at: 0))
        }
        #expect(try await append(of: token).status == .created)
    }

    @Test("a place that is kept for verified devices is theirs alone", arguments: [true, false])
    func reserved(isVerified: Bool) async throws {
        let owner = try SigningDevice(isVerified: isVerified).known
        parts.devices.add(owner)
        let (id, token) = try await begin(of: owner)
        let reserved = parts.with(.init(total: 1, reserved: 1))
        if isVerified {
            #expect(try await append(of: token, by: reserved).status == .created)
        } else {
            let refused = try await respond(.patch, path(token), Self.fields(at: 0, length: 10, isComplete: false), by: reserved)
            try await refused.expectRefusal(.serviceUnavailable, retryAfter: "1")
            #expect(isFree(id, at: 0))
        }
    }

    @Test("one beyond its device's limit waits for an empty request, and is a capture then")
    func limit() async throws {
        let limited = try parts.limited(by: ["RIAL_LIMIT_CAPTURES_BURST": "1"])
        try await limited.count(.photo, of: device)
        let (id, token) = try await begin()
        let refused = try await append(of: token, by: limited)
        try await refused.expectRefusal(.rateLimited, retryAfter: "360")
        #expect(refused.headers[.rateLimitLimit] == "1" && refused.headers[.uploadDraftInteropVersion] == "8")
        #expect(isFree(id, at: body.count) && parts.captures.now.captures.isEmpty)
        #expect(await connection.isConnected)
        parts.buckets.age(by: 3600)
        let response = try await append(from: body.count, of: token, by: limited)
        #expect(response.status == .created && response.headers[.rateLimitRemaining] == "0" && state(of: id) == .done)
    }

    @Test(
        "a capture counts against the address that a trusted proxy tells, and against that of any other client", arguments: [true, false])
    func address(isTrusted: Bool) async throws {
        let (_, token) = try await begin()
        var fields = Self.fields(at: 0, length: body.count, isComplete: true)
        fields[.forwardedFor] = "198.51.100.7"
        let proxy = try #require(AddressRange(UploadFixture.address))
        let response = try await respond(.patch, path(token), fields, bodyStream(body), behind: isTrusted ? [proxy] : [])
        let address = isTrusted ? "198.51.100.7" : UploadFixture.address
        #expect(response.status == .created && parts.buckets.names.contains("capture-address:\(address)"))
    }

    @Test("a body that is not the one that was signed ends the upload and leaves nothing; the connection stays")
    func otherBody() async throws {
        let (id, token) = try await begin()
        var other = body
        other[other.count / 2] ^= 1
        let fields = Self.fields(at: 0, length: other.count, isComplete: true)
        try await respond(.patch, path(token), fields, bodyStream(other)).expectRefusal(.digestMismatch)
        #expect(state(of: id) == .ended && parts.hasPlace)
        #expect(parts.store.keys.isEmpty && parts.captures.now.captures.isEmpty && parts.captures.now.intakes.isEmpty)
        #expect(await connection.isConnected)
    }

    @Test("a device that is revoked meanwhile gets no capture, and its upload ends")
    func revoked() async throws {
        let (id, token) = try await begin()
        parts.devices.set(isRevoked: true, of: device.id)
        try await append(of: token).expectRefusal(.deviceRevoked)
        #expect(state(of: id) == .ended && parts.store.keys.isEmpty && parts.captures.now.captures.isEmpty && parts.hasPlace)
    }

    @Test("of a body that ends early, or breaks off, what came is kept", arguments: [false, true])
    func interrupted(isBroken: Bool) async throws {
        let (id, token) = try await begin()
        let content = bodyStream(Array(body.prefix(10)), breakingOff: isBroken ? Cut() : nil)
        let fields = Self.fields(at: 0, length: body.count, isComplete: true)
        try await respond(.patch, path(token), fields, content).expectRefusal(.validationError)
        #expect(isFree(id, at: 10))
        #expect(await connection.isConnected)
    }

    @Test("a failure of ours after content ends the connection, and nothing that came is lost")
    func failedWithContent() async throws {
        let (id, token) = try await begin()
        parts.captures.fail(with: .rolledBack)
        try await append(of: token).expectRefusal(.internalError)
        #expect(await !connection.isConnected)
        #expect(isFree(id, at: body.count))
    }

    @Test("a failure of ours is told to a request without content, which may try again")
    func failedWithoutContent() async throws {
        let (id, token) = try await begin()
        _ = try await append(to: body.count, of: token)
        parts.captures.fail(with: .rolledBack)
        try await append(from: body.count, of: token).expectRefusal(.internalError)
        #expect(await connection.isConnected)
        #expect(isFree(id, at: body.count))
        parts.captures.fail(with: nil)
        #expect(try await append(from: body.count, of: token).status == .created)
    }

    @Test("one that is completed while its device withdraws a capture stays open, and a later request makes a capture of it")
    func withdrawnMeanwhile() async throws {
        let (id, token) = try await begin()
        _ = try await append(to: body.count, of: token)
        let withdrawn = CaptureID()
        try await parts.captures.open(withdrawn, device: device.id)
        _ = try await parts.captures.record(withdrawn, CaptureRepositoryTests.submission(), device: device.id, begun: .now, receivedAt: now)
        #expect(try await parts.captures.withdraw(withdrawn, by: device.id) == .withdrawn)
        try await append(from: body.count, of: token).expectRefusal(.serviceUnavailable, retryAfter: "5")
        #expect(isFree(id, at: body.count) && Array(parts.captures.now.captures.keys) == [withdrawn])
        let later = ContinuousClock.now + .seconds(60)
        #expect(try await append(from: body.count, of: token, begun: later).status == .created)
        #expect(state(of: id) == .done && parts.captures.now.captures.count == 2)
    }

    @Test("a request that another one overtakes ends, and both are told the same offset", .timeLimit(.minutes(1)))
    func overtaken() async throws {
        let (id, token) = try await begin()
        let (content, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        try await connection.pipeline.addHandler(Stopper { continuation.finish(throwing: BodyStop()) })
        continuation.yield(ByteBuffer(bytes: body.prefix(10)))
        let fields = Self.fields(at: 0, length: body.count, isComplete: true)
        let earlier = Task { try await respond(.patch, path(token), fields, content) }
        defer { earlier.cancel() }
        try await eventually("the request has the upload") { parts.uploads.now.entries[id]?.runner != nil }
        let later = try await respond(.head, path(token))
        let overtaken = try await earlier.value
        let offset = try #require(parts.uploads.now.entries[id]?.offset)
        try await overtaken.expectRefusal(.uploadOffsetMismatch)
        #expect(overtaken.headers[.uploadOffset] == String(offset))
        #expect(later.status == .noContent && later.headers[.uploadOffset] == String(offset))
        #expect(isFree(id, at: Int(offset)))
    }
}
