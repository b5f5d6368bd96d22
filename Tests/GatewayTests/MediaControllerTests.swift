import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Requests for media")
struct MediaControllerTests {
    private static let photo = Array("0123456789".utf8)
    private static let policy = "default-src 'none'; frame-ancestors 'none'; sandbox"
    private let files = MemoryVerifications()
    private let store = MemoryObjectStore()
    private let links = MediaLinks(key: [UInt8](repeating: 7, count: 32))
    /// One at a time.
    private let downloads = ConcurrencyLimit("downloads", .init(total: 1), metric: "tests")

    /// A capture that has the photo as this object. In the store its type is one that browsers would run.
    /// - Parameter time: how exactly the capture shares when it was made.
    private func publish(_ name: MediaName, sharing time: TimePrecision = .exact) async throws -> CaptureID {
        let flags = MetadataFlags(location: .none, timestamp: time, device: .model)
        let capture = files.add(Samples.Evidence().package, .high, at: now, sharing: time == .exact ? nil : flags)
        let media = StoredMedia(
            key: name.key(of: capture), sha256: ContentDigest(of: Self.photo), sizeBytes: Int64(Self.photo.count),
            contentType: name.contentType)
        try await store.put(media.key, bytes: Self.photo, contentType: "text/html")
        files.publish(media, as: name, of: capture)
        return capture
    }

    private func link(_ capture: CaptureID, _ name: MediaName, madeAt time: Date = Date()) -> String {
        links.path(capture, name, at: time)
    }

    /// - Parameter endpoint: of a store that readers can reach.
    private func get(
        _ path: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get, endpoint: URL? = nil
    ) async throws -> Response {
        var routes = Routes()
        MediaController(
            objects: files, storage: store, downloads: downloads, links: links, publicEndpoint: endpoint, trustedProxies: []
        ).addRoutes(to: &routes)
        let router = routes.router(behind: ResponseMiddleware(routes: routes))
        return try await router.buildResponder().respond(to: makeRequest(method, path, headers), context: makeContext(from: "192.0.2.1"))
    }

    /// Leaves the answer unread.
    private func status(_ path: String, _ headers: HTTPFields = [:]) async throws -> HTTPResponse.Status {
        try await get(path, headers).status
    }

    private func expect(_ response: Response, is code: ErrorCode, withdrawnOn day: String? = nil) async throws {
        let error = try await response.json()["error"] as? [String: Any]
        #expect(response.status == code.status && error?["code"] as? String == code.rawValue)
        #expect(error?["withdrawn_on"] as? String == day)
    }

    /// How often the store was asked for something.
    private var reads: Int { store.requests.filter { $0.verb != .put }.count }

    private static let tag = "\"\(ContentDigest(of: photo).hex)\""

    @Test("a signed link opens the object, with its digest and its name's type, and nothing in it may run")
    func signed() async throws {
        let capture = try await publish(.publicCopy)
        let response = try await get(link(capture, .publicCopy))
        #expect(response.status == .ok)
        #expect(try await response.bytes() == Self.photo)
        #expect(response.headers[.contentLength] == "10" && response.headers[.acceptRanges] == "bytes")
        #expect(response.headers[.contentType] == "image/jpeg" && response.headers[.xContentTypeOptions] == "nosniff")
        #expect(response.headers[.contentSecurityPolicy] == Self.policy)
        #expect(response.headers[.eTag] == Self.tag && response.headers[.cacheControl] == "private, max-age=3600")
        #expect(response.headers[.contentDigest] == "sha-256=:\(Base64.encode(ContentDigest(of: Self.photo).bytes)):")
    }

    @Test("thumbnail and card need no signature, and are public for a minute", arguments: [MediaName.thumbnail, .shareCard])
    func open(name: MediaName) async throws {
        let capture = try await publish(name)
        let response = try await get("/media/\(capture)/\(name.rawValue)")
        #expect(response.status == .ok && response.headers[.cacheControl] == "public, max-age=60, must-revalidate")
        #expect(try await response.bytes() == Self.photo)
    }

    @Test("a forged link is refused, and says nothing of the capture: not even that it was withdrawn")
    func forged() async throws {
        let (capture, withdrawn) = (try await publish(.publicCopy), try await publish(.publicCopy))
        files.withdraw(withdrawn, at: now)
        let query = try #require(link(CaptureID(), .publicCopy).split(separator: "?").last)
        let paths = [
            "/media/\(capture)/public.jpg", "/media/\(capture)/public.jpg?\(query)", "/media/\(withdrawn)/public.jpg?\(query)",
            "/media/\(CaptureID())/public.jpg?\(query)",
            link(capture, .publicCopy).replacingOccurrences(of: "public.jpg", with: "c2pa.jpg"),
            // Further ahead than an hour.
            link(capture, .publicCopy, madeAt: Date(timeIntervalSinceNow: 7200)),
        ]
        for path in paths { try await expect(try await get(path), is: .forbidden) }
        #expect(reads == 0)
    }

    @Test("an expired link is gone")
    func expired() async throws {
        let capture = try await publish(.publicCopy)
        let path = link(capture, .publicCopy, madeAt: Date(timeIntervalSinceNow: -7200))
        try await expect(try await get(path), is: .gone)
        #expect(reads == 0)
    }

    @Test("of a withdrawn capture all that was published is gone, and the day is told, whether the link has expired or not")
    func withdrawn() async throws {
        let capture = try await publish(.publicCopy)
        files.publish(.thumbnail, of: capture)
        files.withdraw(capture, at: now)
        let expired = link(capture, .publicCopy, madeAt: Date(timeIntervalSinceNow: -7200))
        for path in [link(capture, .publicCopy), expired, link(capture, .thumbnail)] {
            try await expect(try await get(path), is: .gone, withdrawnOn: "2026-11-18")
        }
        #expect(reads == 0)
    }

    @Test("what is not published is not there, though it is stored", arguments: [MediaName.original, .depth, .metadata, .hashChain])
    func unpublished(name: MediaName) async throws {
        let capture = try await publish(name)
        try await expect(try await get(link(capture, name)), is: .notFound)
        #expect(reads == 0)
    }

    @Test("no capture, no such object and no name are not there")
    func absent() async throws {
        let capture = try await publish(.publicCopy)
        let paths = [
            link(CaptureID(), .publicCopy), link(capture, .signedCopy), link(capture, .thumbnail), "/media/\(capture)/x.jpg",
            "/media/x/thumbnail.jpg",
        ]
        for path in paths { try await expect(try await get(path), is: .notFound) }
    }

    @Test("the card of a verdict that was taken back is one that says nothing, until the verdict is given again")
    func neutral() async throws {
        let capture = try await publish(.shareCard)
        files.publish(.thumbnail, of: capture)
        files.note(.assessment, on: capture)
        files.note(.revocation, on: capture)
        for endpoint in [nil, URL(string: "https://media.test")] {
            let response = try await get(link(capture, .shareCard), endpoint: endpoint)
            #expect(response.status == .found && response.headers[.location] == "/assets/img/share.png")
            #expect(response.headers[.cacheControl] == "no-store")
        }
        #expect(reads == 0)
        // What shows no verdict stays.
        #expect(try await get(link(capture, .thumbnail), method: .head).status == .ok)
        files.note(.reassessment, on: capture)
        #expect(try await get(link(capture, .shareCard), method: .head).status == .ok)
    }

    @Test("where readers reach the store they are sent there, which takes no place", arguments: [MediaName.publicCopy, .thumbnail])
    func redirect(name: MediaName) async throws {
        let capture = try await publish(name)
        let held = try downloads.acquire(address: "192.0.2.9")
        let response = try await get(link(capture, name), endpoint: URL(string: "https://media.test"))
        #expect(response.status == .found && response.headers[.location] == "https://media.test/captures/\(capture)/\(name.rawValue)")
        #expect(response.headers[.cacheControl] == "no-store" && reads == 0)
        held.release()
    }

    @Test("nobody is sent to the store if its answer would tell a time that the capture keeps back", arguments: [TimePrecision.day, .none])
    func keptBack(time: TimePrecision) async throws {
        let capture = try await publish(.manifest, sharing: time)
        let response = try await get(link(capture, .manifest), endpoint: URL(string: "https://media.test"))
        #expect(response.status == .ok && response.headers[.location] == nil && response.headers[.lastModified] == nil)
        #expect(try await response.bytes() == Self.photo)
    }

    @Test("a refused link leads nowhere, also where readers reach the store")
    func refusedRedirect() async throws {
        let capture = try await publish(.publicCopy)
        let response = try await get("/media/\(capture)/public.jpg", endpoint: URL(string: "https://media.test"))
        try await expect(response, is: .forbidden)
    }

    @Test("who has the object is told so, without a place and without the store", arguments: [tag, "W/\(tag)", "\"x\", \(tag)", "*"])
    func unchanged(field: String) async throws {
        let capture = try await publish(.publicCopy)
        let held = try downloads.acquire(address: "192.0.2.9")
        let response = try await get(link(capture, .publicCopy), [.ifNoneMatch: field, .range: "bytes=0-1"])
        #expect(response.status == .notModified && response.headers[.eTag] == Self.tag)
        #expect(try await response.bytes().isEmpty)
        #expect(reads == 0)
        held.release()
    }

    @Test("who has another object gets this one")
    func changed() async throws {
        let capture = try await publish(.publicCopy)
        let response = try await get(link(capture, .publicCopy), [.ifNoneMatch: "\"x\""])
        #expect(response.status == .ok)
        #expect(try await response.bytes() == Self.photo)
    }

    @Test(
        "a range is answered with its bytes and the tag of the whole, without the whole's digest",
        arguments: [
            ("bytes=2-5", "2345", "bytes 2-5/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-1", "9", "bytes 9-9/10"),
            ("bytes=8-99", "89", "bytes 8-9/10"), ("bytes=0-", "0123456789", "bytes 0-9/10"),
        ])
    func range(field: String, content: String, told: String) async throws {
        let capture = try await publish(.publicCopy)
        let response = try await get(link(capture, .publicCopy), [.range: field])
        #expect(response.status == .partialContent && response.headers[.contentRange] == told)
        #expect(response.headers[.eTag] == Self.tag && response.headers[.contentDigest] == nil)
        #expect(response.headers[.contentLength] == String(content.utf8.count))
        #expect(response.headers[.contentSecurityPolicy] == Self.policy)
        #expect(try await response.text() == content)
    }

    @Test(
        "a download goes on only where the object is still the one it began with",
        arguments: [(Self.tag, true), ("W/" + Self.tag, false), ("\"another\"", false), ("Sat, 28 Nov 2026 00:00:00 GMT", false)])
    func sameObject(condition: String, isSame: Bool) async throws {
        let capture = try await publish(.publicCopy)
        let response = try await get(link(capture, .publicCopy), [.range: "bytes=2-5", .ifRange: condition])
        #expect(response.status == (isSame ? .partialContent : .ok))
        #expect(try await response.text() == (isSame ? "2345" : "0123456789"))
    }

    @Test("a range behind the end is refused with the length, and without a body", arguments: ["bytes=10-", "bytes=10-12", "bytes=-0"])
    func unsatisfiable(field: String) async throws {
        let capture = try await publish(.publicCopy)
        let response = try await get(link(capture, .publicCopy), [.range: field])
        #expect(response.status == .rangeNotSatisfiable && response.headers[.contentRange] == "bytes */10")
        #expect(response.headers[.contentSecurityPolicy] == Self.policy)
        #expect(try await response.bytes().isEmpty)
        #expect(reads == 0)
    }

    @Test("a head tells of the whole object, whatever is asked for, without a place, the store or a redirect")
    func head() async throws {
        let capture = try await publish(.publicCopy)
        let held = try downloads.acquire(address: "192.0.2.9")
        for (field, endpoint) in [(nil, nil), ("bytes=2-5", nil), ("bytes=10-", URL(string: "https://media.test"))] as [(String?, URL?)] {
            var headers: HTTPFields = [:]
            headers[.range] = field
            let response = try await get(link(capture, .publicCopy), headers, method: .head, endpoint: endpoint)
            #expect(response.status == .ok && response.headers[.contentLength] == "10" && response.headers[.eTag] == Self.tag)
            #expect(response.headers[.location] == nil)
            #expect(try await response.bytes().isEmpty)
        }
        #expect(reads == 0)
        held.release()
    }

    @Test("a place is taken until the last byte is sent, or the answer is left")
    func places() async throws {
        let path = link(try await publish(.publicCopy), .publicCopy)
        let first = try await get(path)
        let refused = try await get(path)
        try await expect(refused, is: .serviceUnavailable)
        #expect(refused.headers[.retryAfter] == "1")
        #expect(try await first.bytes() == Self.photo)
        #expect(try await status(path, [.range: "bytes=0-1"]) == .partialContent)
        #expect(try await status(path) == .ok)
    }

    @Test("a store that is away is no answer, and takes no place")
    func away() async throws {
        let path = link(try await publish(.publicCopy), .publicCopy)
        store.refuse { _ in .unavailable }
        for headers in [[:], [.range: "bytes=0-1"]] as [HTTPFields] {
            let response = try await get(path, headers)
            try await expect(response, is: .storageError)
            #expect(response.headers[.retryAfter] == "5")
        }
        store.refuse { _ in nil }
        #expect(try await status(path) == .ok)
    }

    @Test("of an object that is not the published one the last bytes are withheld", arguments: [[:], [.range: "bytes=0-"]] as [HTTPFields])
    func damaged(headers: HTTPFields) async throws {
        let capture = try await publish(.publicCopy)
        let (path, key) = (link(capture, .publicCopy), MediaName.publicCopy.key(of: capture))
        try await store.put(key, bytes: Array("012345678X".utf8), contentType: "image/jpeg")
        let response = try await get(path, headers)
        #expect(response.headers[.contentLength] == "10")
        let problem = await #expect(throws: ObjectStorageError.self) { _ = try await response.bytes() }
        #expect(problem?.code == .digestMismatch)
        // Its place is free again.
        try await store.put(key, bytes: Self.photo, contentType: "image/jpeg")
        let whole = try await get(path)
        #expect(try await whole.bytes() == Self.photo)
    }

    @Test("an object of another length is not begun to be sent")
    func otherLength() async throws {
        let capture = try await publish(.publicCopy)
        try await store.put(MediaName.publicCopy.key(of: capture), bytes: Array("0123456789X".utf8), contentType: "image/jpeg")
        try await expect(try await get(link(capture, .publicCopy)), is: .storageError)
    }
}
