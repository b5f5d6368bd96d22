import CaptureProtocol
import Foundation
import Inspection
import Models
import TestSupport
import Testing

@testable import Gateway

@Suite("Verification of files", .timeLimit(.minutes(1)))
struct FileVerifierTests {
    private static let jpeg = VerifierFixture.jpeg
    private static let manifest: [UInt8] = [0, 0, 0, 100] + Array("jumb".utf8) + [UInt8](repeating: 7, count: 92)
    private static let text = VerifierFixture.text

    private let parts = VerifierFixture()
    private var files: MemoryVerifications { parts.files }
    private var buckets: MemoryTokenBuckets { parts.buckets }
    private let client: ClientAddress

    init() throws { client = ClientAddress(makeRequest(), try makeContext(from: "192.0.2.7"), trusting: []) }

    private func verify(_ file: [UInt8], by verifier: FileVerifier, declaredBytes: Int? = nil) async throws -> FileVerification {
        try await verifier.verify(
            bodyStream(VerifierFixture.form(file)), boundary: PhotoBody.boundary(), declaredBytes: declaredBytes, from: client)
    }

    private func entry(_ method: VerificationMethod, _ file: [UInt8], _ status: String, _ capture: CaptureID? = nil) -> LoggedVerification {
        LoggedVerification(
            method: method, digest: ContentDigest(of: file), network: client.truncated, status: status, capture: capture)
    }

    @Test("a file of a capture is known by its digest, whatever is in it, and not inspected", arguments: [jpeg, text])
    func known(file: [UInt8]) async throws {
        let capture = files.add(Samples.Evidence().package, .high, at: now, of: ContentDigest(of: file))
        let weaker = files.add(Samples.Evidence().package, .low, at: now, of: ContentDigest(of: file))
        let inspector = ScriptedInspector()
        let verification = try await verify(file, by: parts.verifier(inspector))
        guard case .claimed(let claim, let others) = verification.verdict else {
            Issue.record("not known")
            return
        }
        #expect(claim.row.id == capture && claim.matched == .original && others.map(\.row.id) == [weaker])
        #expect(verification.digest == ContentDigest(of: file) && verification.allowance?.remaining == 99)
        #expect(inspector.mediaTypes.isEmpty && files.logged == [entry(.file, file, "verified", capture)])
    }

    @Test("a file that no capture claims is inspected, and may have nothing to say")
    func unknown() async throws {
        let inspector = ScriptedInspector()
        let verification = try await verify(Self.jpeg, by: parts.verifier(inspector))
        guard case .noRecord = verification.verdict else {
            Issue.record("known")
            return
        }
        #expect(inspector.mediaTypes == ["image/jpeg"] && files.logged == [entry(.file, Self.jpeg, "no_record")])
    }

    @Test("what is in a file that no capture claims is told, also of a manifest alone", arguments: [(jpeg, false), (manifest, true)])
    func credentials(file: [UInt8], isDetached: Bool) async throws {
        let inspector = ScriptedInspector(.success(.report(CredentialReport(state: .valid))))
        let verification = try await verify(file, by: parts.verifier(inspector))
        guard case .credentials(let info) = verification.verdict else {
            Issue.record("no credentials")
            return
        }
        #expect(info.validationState == "valid" && info.isDetached == isDetached)
        #expect(inspector.mediaTypes == [isDetached ? "application/c2pa" : "image/jpeg"])
        #expect(files.logged == [entry(.file, file, "c2pa_only")])
    }

    @Test("a file that stops the inspector has credentials that cannot be read", arguments: InspectionOutcome.Reason.allCases)
    func unreadable(reason: InspectionOutcome.Reason) async throws {
        let verification = try await verify(Self.jpeg, by: parts.verifier(ScriptedInspector(.success(.unreadable(reason: reason)))))
        guard case .credentials(let info) = verification.verdict else {
            Issue.record("no credentials")
            return
        }
        #expect(info.validationState == CredentialReport.State.unreadable.rawValue)
        #expect(files.logged == [entry(.file, Self.jpeg, "c2pa_only")])
    }

    @Test("a file of no known format that no capture claims is refused")
    func unsupported() async throws {
        let inspector = ScriptedInspector()
        await #expect(throws: VerificationError.unsupportedFormat) { _ = try await verify(Self.text, by: parts.verifier(inspector)) }
        #expect(inspector.mediaTypes.isEmpty && files.logged.isEmpty)
    }

    @Test(
        "where files cannot be inspected, nothing is said of them",
        arguments: [(.busy, .inspectorsBusy), (.unavailable("x"), .inspectorsUnavailable)] as [(InspectionError, VerificationError)])
    func uninspected(problem: InspectionError, error: VerificationError) async throws {
        await #expect(throws: error) { _ = try await verify(Self.jpeg, by: parts.verifier(ScriptedInspector(.failure(problem)))) }
        #expect(files.logged.isEmpty)
    }

    @Test("a client that goes away is not answered")
    func cancelled() async throws {
        await #expect(throws: CancellationError.self) {
            _ = try await verify(Self.jpeg, by: parts.verifier(ScriptedInspector(.failure(.cancelled))))
        }
        #expect(files.logged.isEmpty)
    }

    @Test("a body that is announced as too large is neither counted nor read")
    func tooLarge() async throws {
        let verifier = try parts.verifier()
        await #expect(throws: VerificationError.fileTooLarge) {
            _ = try await verify(Self.jpeg, by: verifier, declaredBytes: FileIntake.maximumBodyBytes + 1)
        }
        #expect(buckets.names.isEmpty)
        _ = try await verify(Self.jpeg, by: verifier, declaredBytes: FileIntake.maximumBodyBytes)
    }

    @Test("beyond the limit no file is read; hashes are counted by themselves")
    func limited() async throws {
        let verifier = try parts.verifier(limits: ["RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "1"])
        _ = try await verify(Self.jpeg, by: verifier)
        await #expect(throws: RateLimitExceeded.self) {
            _ = try await verifier.verify(unreadStream(), boundary: PhotoBody.boundary(), declaredBytes: nil, from: client)
        }
        _ = try await verifier.lookUp(ContentDigest(of: Self.jpeg), from: client)
        await #expect(throws: RateLimitExceeded.self) { _ = try await verifier.lookUp(ContentDigest(of: Self.jpeg), from: client) }
        #expect(files.logged.count == 2)
    }

    @Test("an address has so many files on their way, and more when they have come")
    func concurrent() async throws {
        let verifier = try parts.verifier()
        let held = try verifier.intakes.acquire(address: client.description)
        await #expect(throws: ConcurrencyLimit.Exceeded.self) { _ = try await verify(Self.jpeg, by: verifier) }
        held.release()
        for _ in 0..<2 { _ = try await verify(Self.jpeg, by: verifier) }
    }

    @Test("a file that has come waits for its turn, and leaves no file behind if that does not come")
    func busy() async throws {
        let permits = VerificationPermits(1, queueLimit: 0, timeout: .seconds(30), metric: "test_permits")
        let verifier = try parts.verifier(quotaBytes: Int64(Self.jpeg.count), permits: permits)
        try await permits.withPermit {
            _ = await #expect(throws: VerificationPermits.Busy.self) { _ = try await verify(Self.jpeg, by: verifier) }
        }
        #expect(files.logged.isEmpty)
        for _ in 0..<2 { _ = try await verify(Self.jpeg, by: verifier) }
        await #expect(throws: NoScratchSpace.self) { _ = try await verify(Self.jpeg + [1], by: verifier) }
    }

    @Test("a digest alone finds the capture, or no record; both are logged")
    func lookUp() async throws {
        let capture = files.add(Samples.Evidence().package, .high, at: now, of: ContentDigest(of: Self.jpeg))
        let verifier = try parts.verifier()
        let found = try await verifier.lookUp(ContentDigest(of: Self.jpeg), from: client)
        #expect(found.verdict.captureID == capture && found.allowance?.remaining == 99)
        let none = try await verifier.lookUp(ContentDigest(of: Self.text), from: client)
        #expect(none.verdict.status == "no_record" && none.verdict.captureID == nil)
        #expect(files.logged == [entry(.hash, Self.jpeg, "verified", capture), entry(.hash, Self.text, "no_record")])
    }

    @Test("an error of the database is passed on, and is no verdict")
    func databaseError() async throws {
        struct Failure: Error {}
        files.fail(with: Failure())
        let inspector = ScriptedInspector()
        let verifier = try parts.verifier(inspector)
        await #expect(throws: Failure.self) { _ = try await verify(Self.jpeg, by: verifier) }
        await #expect(throws: Failure.self) { _ = try await verifier.lookUp(ContentDigest(of: Self.jpeg), from: client) }
        #expect(inspector.mediaTypes.isEmpty && files.logged.isEmpty)
    }
}
