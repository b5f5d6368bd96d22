import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Inspection
import Models
import NIOCore
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Requests to verify files", .timeLimit(.minutes(1)))
struct VerificationControllerTests {
    private static let address = "192.0.2.1"
    private static let digest = ContentDigest(of: VerifierFixture.jpeg)
    private let parts = VerifierFixture()

    /// - Parameter log: by default one that was never opened.
    private func respond(
        to request: Request, by verifier: FileVerifier? = nil, log: LogFixture? = nil, behind proxies: [AddressRange] = []
    ) async throws -> Response {
        let entries = log?.reading ?? MemoryLogReading()
        let finder = log?.finder ?? CheckpointFinder(log: entries, policy: .empty)
        var routes = Routes()
        VerificationController(
            verifier: try verifier ?? parts.verifier(), log: LogStatusReader(log: entries, finder: finder), publicURL: publicURL,
            trustedProxies: proxies
        ).addRoutes(to: &routes)
        return try await routes.respond(to: request, makeContext(from: Self.address))
    }

    private static func lookUp(_ text: String = digest.hex, _ fields: HTTPFields = [:]) -> Request {
        makeRequest(.get, "\(APIPath.hashVerification)/\(text)", fields)
    }

    private static func form(
        _ content: AsyncThrowingStream<ByteBuffer, any Error>, _ fields: HTTPFields = [:], type: String = PhotoBody.contentType
    ) -> Request {
        var fields = fields
        fields[.contentType] = type
        return makeRequest(.post, APIPath.fileVerification, fields, content: content)
    }

    private static func send(_ file: [UInt8] = VerifierFixture.jpeg, _ fields: HTTPFields = [:]) -> Request {
        form(bodyStream(VerifierFixture.form(file)), fields)
    }

    /// Asks of the same file in either way.
    private static func ask(by method: VerificationMethod, _ fields: HTTPFields = [:]) -> Request {
        switch method {
        case .hash: lookUp(digest.hex, fields)
        case .file: send(VerifierFixture.jpeg, fields)
        }
    }

    private func answer(_ response: Response) async throws -> [String: Any] { try await response.json()["data"] as? [String: Any] ?? [:] }

    private func publish(_ confidence: ConfidenceLevel = .high) -> CaptureID {
        parts.files.add(Samples.Evidence().package, confidence, at: now, of: Self.digest)
    }

    /// A lookup as it is logged.
    private func entry(_ method: VerificationMethod, _ status: String, _ capture: CaptureID? = nil) -> LoggedVerification {
        LoggedVerification(method: method, digest: Self.digest, network: "192.0.2.0/24", status: status, capture: capture)
    }

    @Test(
        "a file of a capture is answered with the capture and its evidence, for its client alone, and with what is left of the limit",
        arguments: [VerificationMethod.hash, .file])
    func claimed(method: VerificationMethod) async throws {
        let capture = publish()
        let response = try await respond(to: Self.ask(by: method))
        #expect(response.status == .ok && response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.rateLimitLimit] == "100" && response.headers[.rateLimitRemaining] == "99")
        let data = try await answer(response)
        #expect(data["status"] as? String == "verified" && data["matched"] as? String == "original")
        #expect(data["capture_id"] as? String == capture.description && data["confidence_level"] as? String == "high")
        #expect(data["verification_url"] as? String == "\(publicURL)/verify/\(capture)")
        #expect(data["file_hash"] as? String == Self.digest.hex && data["capture_mode"] as? String == "full")
        #expect(data["media_stored"] as? Bool == true && (data["other_claims"] as? [Any])?.isEmpty == true)
        #expect((data["evidence"] as? [String: Any])?.isEmpty == false)
        #expect((data["log"] as? [String: Any])?["status"] as? String == "unavailable")
        #expect(parts.files.logged == [entry(method, "verified", capture)])
    }

    @Test("the strongest claim comes first, and the others are told with where they stand")
    func others() async throws {
        let (revoked, weak, strong) = (publish(), publish(.low), publish(.medium))
        for kind in [Statement.Kind.assessment, .revocation] { parts.files.note(kind, on: revoked) }
        let data = try await answer(try await respond(to: Self.lookUp()))
        #expect(data["capture_id"] as? String == strong.description)
        let others = try #require(data["other_claims"] as? [[String: Any]])
        #expect(others.map { $0["capture_id"] as? String } == [weak.description, revoked.description])
        #expect(others.map { $0["confidence_level"] as? String } == ["low", "high"])
        #expect(others.map { $0["standing"] as? String } == ["stands", "revoked"])
        #expect(others.map { $0["verification_url"] as? String } == [weak, revoked].map { "\(publicURL)/verify/\($0)" })
    }

    @Test("a digest may be in upper case")
    func upperCase() async throws {
        _ = publish()
        #expect(try await respond(to: Self.lookUp(Self.digest.hex.uppercased())).status == .ok)
    }

    @Test(
        "where the first claim's capture stands in the log is told, whatever the file is looked up by",
        arguments: [VerificationMethod.hash, .file])
    func logged(method: VerificationMethod) async throws {
        let stated = try StatedCaptureFixture(publish())
        var log = try LogFixture()
        let first = try stated.assessment()
        log.add(first)
        log.add(try stated.revocation(after: first))
        try await log.publish()
        let response = try await respond(to: Self.ask(by: method), log: log)
        let told = try await answer(response)["log"] as? [String: Any] ?? [:]
        #expect(told["status"] as? String == "logged" && told["standing"] as? String == "revoked")
        #expect(told["origin"] as? String == log.origin.text && told["index"] as? Int == 1 && told["tree_size"] as? Int == 2)
    }

    @Test("a file without a record is an answer of its own")
    func noRecord() async throws {
        let response = try await respond(to: Self.send())
        #expect(response.status == .ok && response.headers[.cacheControl] == "no-store" && response.headers[.rateLimitRemaining] == "99")
        let data = try await answer(response)
        #expect(data["status"] as? String == "no_record" && data["file_hash"] as? String == Self.digest.hex && data.count == 2)
        #expect(parts.files.logged == [entry(.file, "no_record")])
    }

    @Test("of a file without a record its Content Credentials are told")
    func credentials() async throws {
        let inspector = ScriptedInspector(.success(.report(CredentialReport(state: .valid))))
        let response = try await respond(to: Self.send(), by: try parts.verifier(inspector))
        #expect(response.status == .ok && response.headers[.cacheControl] == "no-store" && response.headers[.rateLimitRemaining] == "99")
        let data = try await answer(response)
        #expect(data["status"] as? String == "c2pa_only" && data["file_hash"] as? String == Self.digest.hex)
        #expect((data["manifest_info"] as? [String: Any])?["validation_state"] as? String == "valid")
        #expect((data["note"] as? String)?.isEmpty == false && data.count == 4)
        #expect(parts.files.logged == [entry(.file, "c2pa_only")])
    }

    @Test("a digest without a record is not found, which counts and is logged")
    func notFound() async throws {
        let response = try await respond(to: Self.lookUp())
        try await response.expectRefusal(.hashNotFound)
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.rateLimitLimit] == "100" && response.headers[.rateLimitRemaining] == "99")
        #expect(parts.files.logged == [entry(.hash, "no_record")])
    }

    @Test(
        "what is no SHA-256 in hex is refused before it counts",
        arguments: [
            "x", String(repeating: "a", count: 63), String(repeating: "a", count: 65), String(repeating: "g", count: 64),
            "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
        ])
    func noDigest(text: String) async throws {
        let named = try await respond(to: Self.lookUp(text)).expectRefusal(.validationError)
        #expect(named == ["sha256"] && parts.buckets.names.isEmpty && parts.files.logged.isEmpty)
    }

    @Test(
        "what is no form, or says that it is too large, is refused unread and before it counts",
        arguments: [
            ("application/json", nil, .unsupportedMediaType), ("multipart/form-data", nil, .validationError),
            (PhotoBody.contentType, FileIntake.maximumBodyBytes + 1, .payloadTooLarge),
        ] as [(String, Int?, ErrorCode)])
    func noForm(type: String, length: Int?, code: ErrorCode) async throws {
        var fields: HTTPFields = [:]
        fields[.contentLength] = length.map { String($0) }
        try await respond(to: Self.form(unreadStream(), fields, type: type)).expectRefusal(code)
        #expect(parts.buckets.names.isEmpty && parts.files.logged.isEmpty)
    }

    @Test("a file of an unknown format and an empty one are refused, and nothing is logged of them")
    func unusable() async throws {
        try await respond(to: Self.send(VerifierFixture.text)).expectRefusal(.unsupportedMediaType)
        let named = try await respond(to: Self.send([])).expectRefusal(.validationError)
        #expect(named == ["file"] && parts.files.logged.isEmpty)
    }

    @Test(
        "where files cannot be inspected the client is to come again, and nothing is logged",
        arguments: [(.busy, "5"), (.unavailable("x"), "30")] as [(InspectionError, String)])
    func uninspected(problem: InspectionError, seconds: String) async throws {
        let verifier = try parts.verifier(ScriptedInspector(.failure(problem)))
        try await respond(to: Self.send(), by: verifier).expectRefusal(.serviceUnavailable, retryAfter: seconds)
        #expect(parts.files.logged.isEmpty)
    }

    @Test("an error of the database is ours, and no verdict", arguments: [VerificationMethod.hash, .file])
    func failed(method: VerificationMethod) async throws {
        struct Failure: Error {}
        parts.files.fail(with: Failure())
        try await respond(to: Self.ask(by: method)).expectRefusal(.internalError)
        #expect(parts.files.logged.isEmpty)
    }

    @Test("an address looks up so many digests and verifies so many files, each for itself; beyond that no file is read")
    func limits() async throws {
        let verifier = try parts.verifier(limits: ["RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "1"])
        let requests = [(Self.lookUp(), Self.lookUp()), (Self.send(), Self.form(unreadStream()))]
        _ = publish()
        for (first, second) in requests {
            #expect(try await respond(to: first, by: verifier).status == .ok)
            let refused = try await respond(to: second, by: verifier)
            try await refused.expectRefusal(.rateLimited, retryAfter: "3600")
            #expect(refused.headers[.rateLimitLimit] == "1" && refused.headers[.rateLimitRemaining] == "0")
        }
        #expect(parts.files.logged.map(\.method) == [.hash, .file])
    }

    @Test("while an address has its files on their way no other one is read, but digests are looked up")
    func concurrent() async throws {
        let verifier = try parts.verifier()
        _ = publish()
        let held = try verifier.intakes.acquire(address: Self.address)
        let refused = try await respond(to: Self.form(unreadStream()), by: verifier)
        try await refused.expectRefusal(.rateLimited, retryAfter: "5")
        #expect(refused.headers[.rateLimitLimit] == nil)
        #expect(try await respond(to: Self.lookUp(), by: verifier).status == .ok)
        held.release()
        #expect(try await respond(to: Self.send(), by: verifier).status == .ok)
    }

    @Test(
        "the address that a trusted proxy tells is the one that counts and, without its end, is logged; any other client's is its own",
        arguments: [true, false], [VerificationMethod.hash, .file])
    func address(isTrusted: Bool, method: VerificationMethod) async throws {
        let proxy = try #require(AddressRange(Self.address))
        _ = publish()
        let request = Self.ask(by: method, [.forwardedFor: "198.51.100.7"])
        #expect(try await respond(to: request, behind: isTrusted ? [proxy] : []).status == .ok)
        let (address, network) = isTrusted ? ("198.51.100.7", "198.51.100.0/24") : (Self.address, "192.0.2.0/24")
        #expect(parts.files.logged.map(\.network) == [network])
        let limit = method == .hash ? "hash-verification" : "verification"
        #expect(parts.buckets.names == ["\(limit):\(address)"])
    }
}
