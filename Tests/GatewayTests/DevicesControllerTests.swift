import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests to register a device")
struct DevicesControllerTests {
    /// Notes that somebody was told that there is no outcome yet.
    private struct WatchedRegistrations: RegistrationRepository {
        let registrations: MemoryChallenges
        let hasToldNone = Flag()

        func find(_ id: RegistrationID) async throws -> RegistrationRecord? {
            let record = try await registrations.find(id)
            if record == nil { hasToldNone.set() }
            return record
        }
    }

    private let challenges = MemoryChallenges()
    private let buckets = MemoryTokenBuckets()

    /// - Parameters:
    ///   - timeout: for which a registration is waited; none is not at all.
    ///   - waiters: by default they look again at once.
    private func respond(
        _ request: Request, timeout: Duration = .zero, waiters: Waiters = Waiters(timeout: .milliseconds(1)),
        registrations: (any RegistrationRepository)? = nil, limits: [String: String] = [:]
    ) async throws -> Response {
        var routes = Routes()
        DevicesController(
            challenges: challenges, registrations: registrations ?? challenges, waiters: waiters, buckets: buckets,
            limits: try RateLimits(ServiceEnvironment(limits)), trustedProxies: [], timeout: timeout
        ).addRoutes(to: &routes)
        let router = routes.router(behind: ResponseMiddleware(routes: routes))
        return try await router.buildResponder().respond(to: request, context: makeContext(from: "192.0.2.1"))
    }

    private func register(_ body: [UInt8]) async throws -> Response { try await respond(Self.request(body)) }

    /// A request whose body comes in pieces.
    private static func request(_ body: [UInt8], type: String? = "application/json", declared length: Int? = nil) -> Request {
        var headers: HTTPFields = [:]
        headers[.contentType] = type
        headers[.contentLength] = length.map { String($0) }
        return makeRequest(.post, APIPath.registration, headers, content: bodyStream(body))
    }

    /// - Parameter size: with white space at the end.
    private static func body(_ challenge: [UInt8], model: String = "iPhone 15 Pro", size: Int = 0) throws -> [UInt8] {
        let registration = DeviceRegistration(
            model: model, hasLiDAR: true, osVersion: nil,
            attestation: DeviceRegistration.Attestation(
                keyID: [UInt8](repeating: 1, count: 32), attestationObject: [1], challenge: challenge),
            requestKey: nil)
        let bytes = Array(try JSONEncoder().encode(registration))
        return bytes + [UInt8](repeating: 0x20, count: max(0, size - bytes.count))
    }

    /// With a new challenge.
    private func freshBody(size: Int = 0) async throws -> [UInt8] { try Self.body(try await challenges.issue().challenge, size: size) }

    private func expect(_ response: Response, is code: ErrorCode, retryAfter seconds: String? = nil) async throws {
        let error = try await response.json()["error"] as? [String: Any]
        #expect(response.status == code.status && error?["code"] as? String == code.rawValue)
        #expect(response.headers[.retryAfter] == seconds)
    }

    private func expect(_ response: Response, created device: DeviceID) async throws {
        let data = try await response.json()["data"] as? [String: Any]
        #expect(response.status == .created && data?["device_id"] as? String == device.description)
        #expect(data?["attestation_level"] as? String == AttestationLevel.unverified.rawValue && data?["has_lidar"] as? Bool == true)
    }

    @Test("a challenge is for one client alone, and a registration may use it")
    func challenge() async throws {
        let response = try await respond(makeRequest(.get, APIPath.challenge))
        #expect(response.status == .ok && response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.rateLimitLimit] == "10" && response.headers[.rateLimitRemaining] == "9")
        let data = try await response.json()["data"] as? [String: Any]
        let bytes = try #require((data?["challenge"] as? String).flatMap { Base64.decode($0) })
        #expect(bytes.count == 32 && data?["expires_at"] is String)
        _ = try await register(try Self.body(bytes))
        #expect(challenges.announced.count == 1)
    }

    @Test("an address gets so many challenges and no more")
    func challengeLimit() async throws {
        let limits = ["RIAL_LIMIT_CHALLENGES_PER_MINUTE": "1"]
        let first = try await respond(makeRequest(.get, APIPath.challenge), limits: limits)
        #expect(first.status == .ok)
        let second = try await respond(makeRequest(.get, APIPath.challenge), limits: limits)
        try await expect(second, is: .rateLimited, retryAfter: "60")
        #expect(challenges.count == 1)
    }

    @Test("an unknown challenge, an expired one and one that another body has used are refused")
    func challengeRefused() async throws {
        try await expect(try await register(try Self.body([UInt8](repeating: 0, count: 32))), is: .challengeInvalid)

        let expired = try await freshBody()
        challenges.advance(by: 301)
        try await expect(try await register(expired), is: .challengeInvalid)
        #expect(challenges.announced.isEmpty)

        let challenge = try await challenges.issue().challenge
        _ = try await register(try Self.body(challenge))
        try await expect(try await register(try Self.body(challenge, model: "iPhone 16 Pro")), is: .challengeInvalid)
        #expect(challenges.announced.count == 1)
    }

    @Test(
        "a body of another type is refused before it counts",
        arguments: [nil, "text/plain", "application/json2", "multipart/form-data"] as [String?])
    func otherType(name: String?) async throws {
        let response = try await respond(Self.request(try await freshBody(), type: name))
        try await expect(response, is: .unsupportedMediaType)
        #expect(buckets.names.isEmpty && challenges.announced.isEmpty)
    }

    @Test("the type may have another case and parameters")
    func typeWithParameters() async throws {
        _ = try await respond(Self.request(try await freshBody(), type: "Application/JSON; charset=utf-8"))
        #expect(challenges.announced.count == 1)
    }

    @Test("a body that says that it is too large is refused before it counts")
    func declaredTooLarge() async throws {
        let response = try await respond(Self.request(try await freshBody(), declared: SizeLimits.registration + 1))
        try await expect(response, is: .payloadTooLarge)
        #expect(buckets.names.isEmpty && challenges.announced.isEmpty)
    }

    @Test("a body that is too large without saying so is refused, and one byte less is not", arguments: [true, false])
    func tooLarge(isTooLarge: Bool) async throws {
        let body = try await freshBody(size: SizeLimits.registration + (isTooLarge ? 1 : 0))
        try await expect(
            try await register(body), is: isTooLarge ? .payloadTooLarge : .serviceUnavailable, retryAfter: isTooLarge ? nil : "5")
        #expect(challenges.announced.count == (isTooLarge ? 0 : 1))
    }

    @Test("a body that is no registration is refused", arguments: ["", "{", "[]", "{}"])
    func malformed(text: String) async throws {
        try await expect(try await register(Array(text.utf8)), is: .validationError)
    }

    @Test("an address registers so often and no more, whatever it sends")
    func limit() async throws {
        let limits = ["RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "1"]
        let first = try await respond(Self.request([]), limits: limits)
        try await expect(first, is: .validationError)
        let second = try await respond(Self.request(try await freshBody()), limits: limits)
        try await expect(second, is: .rateLimited, retryAfter: "60")
        #expect(challenges.announced.isEmpty)
    }

    @Test("a request that waits is answered when it is woken, not before")
    func woken() async throws {
        // But for the wake-up, nothing ends the waiting.
        let waiters = Waiters(timeout: .seconds(3600))
        let (registrations, answered) = (WatchedRegistrations(registrations: challenges), Flag())
        let (body, device) = (try await freshBody(), DeviceID())
        let request = Task {
            defer { answered.set() }
            return try await respond(Self.request(body), timeout: .seconds(3600), waiters: waiters, registrations: registrations)
        }
        defer { request.cancel() }
        try await eventually("the request has asked for the outcome") { registrations.hasToldNone.isSet }
        let id = try #require(challenges.announced.first)
        #expect(!answered.isSet)
        challenges.decide(.registered, on: id, device)
        // It may not wait yet, and would miss a single wake-up.
        try await eventually("the request is answered") {
            waiters.wake(id.description)
            return answered.isSet
        }
        let response = try await request.value
        try await expect(response, created: device)
        #expect(response.headers[.rateLimitLimit] == "10" && response.headers[.rateLimitRemaining] == "9")
    }

    @Test(
        "without an outcome in time the client is to ask again, and then gets it for the same body",
        arguments: [Duration.zero, .milliseconds(20)])
    func late(timeout: Duration) async throws {
        let (body, device) = (try await freshBody(), DeviceID())
        let early = try await respond(Self.request(body), timeout: timeout)
        try await expect(early, is: .serviceUnavailable, retryAfter: "5")
        challenges.decide(.registered, on: try #require(challenges.announced.first), device)
        try await expect(try await register(body), created: device)
        #expect(challenges.announced.count == 1)
    }

    @Test("an outcome that is a fault of ours is not told: the same body is appraised again")
    func failed() async throws {
        let (body, device) = (try await freshBody(), DeviceID())
        _ = try await register(body)
        let id = try #require(challenges.announced.first)
        challenges.decide(.failed, on: id, nil)
        challenges.advance(by: 3)
        try await expect(try await register(body), is: .serviceUnavailable, retryAfter: "5")
        #expect(challenges.announced == [id, id])
        challenges.decide(.registered, on: id, device)
        try await expect(try await register(body), created: device)
    }

    @Test(
        "what the verifier has decided is told with its code, as often as it is asked for",
        arguments: [
            (.invalidAttestation, .invalidAttestation), (.alreadyRegistered, .deviceAlreadyRegistered),
            // A row that contradicts itself.
            (.registered, .internalError),
        ] as [(RegistrationOutcome, ErrorCode)])
    func refused(outcome: RegistrationOutcome, code: ErrorCode) async throws {
        let body = try await freshBody()
        _ = try await register(body)
        challenges.decide(outcome, on: try #require(challenges.announced.first), nil)
        for _ in 0..<2 { try await expect(try await register(body), is: code) }
    }
}
