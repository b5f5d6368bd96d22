import CaptureProtocol
import Models
import TestSupport
import Testing

@testable import Gateway
@testable import SimulatedDevice

@Suite("Uploads of hash-only captures")
struct HashOnlyUploadTests {
    private struct Refused: Error {}

    private let rows = MemoryCaptures()
    private let device: KnownDevice
    private let body: [UInt8]

    init() throws {
        var device = SimulatedDevice()
        body = try HashOnlySubmissionTests.body(HashOnlySamples.payload().bytes(), &device)
        self.device = try HashOnlySubmissionTests.known(device)
    }

    private func take(
        _ bytes: [UInt8]? = nil, authenticate: (ContentDigest) async throws -> Void = { _ in }, admit: () async throws -> Void = {}
    ) async throws -> (id: CaptureID, type: CaptureType, recorded: Recorded) {
        try await HashOnlyUpload(captures: rows).take(
            bodyStream(bytes ?? body), from: device, begun: .now, authenticate: authenticate, admit: admit)
    }

    private func isNew(_ recorded: Recorded) -> Bool {
        guard case .new = recorded else { return false }
        return true
    }

    @Test("a sound one is recorded and announced, and needs no intake")
    func accepted() async throws {
        var signed: ContentDigest?
        let (id, type, recorded) = try await take(authenticate: { signed = $0 })
        #expect(isNew(recorded) && type == .photo && signed == ContentDigest(of: body))
        #expect(rows.now.announced == [id.description] && rows.now.intakes.isEmpty)
        let row = try #require(try await rows.find(id))
        #expect(row.kind == .hashOnly && row.deviceID == device.id && row.mediaHash == HashOnlySamples.mediaHash)
    }

    @Test(
        "the same again is the same capture, announced once more only if it failed",
        arguments: [CaptureStatus.processing, .complete, .failed])
    func again(status: CaptureStatus) async throws {
        let first = try await take()
        rows.set(status, of: first.id)
        var isCounted = false
        let second = try await take(admit: { isCounted = true })
        guard case .known(let known) = second.recorded else {
            Issue.record("another capture")
            return
        }
        #expect(known.id == first.id && known.status == status && isCounted)
        #expect(rows.now.announced.count == (status == .failed ? 2 : 1) && rows.now.captures.count == 1)
    }

    @Test("one that the request does not sign is not counted and not recorded")
    func unsigned() async throws {
        await #expect(throws: Refused.self) {
            _ = try await take(authenticate: { _ in throw Refused() }, admit: { Issue.record("it was counted") })
        }
        #expect(rows.now.captures.isEmpty && rows.now.announced.isEmpty)
    }

    @Test("one that no attested device has made is not counted and not recorded")
    func unattested() async throws {
        var other = SimulatedDevice()
        let foreign = try HashOnlySubmissionTests.body(HashOnlySamples.payload().bytes(), &other)
        await #expect(throws: CaptureError.assertionUnverified) {
            _ = try await take(foreign, admit: { Issue.record("it was counted") })
        }
        #expect(rows.now.captures.isEmpty)
    }

    @Test("one beyond a limit is not recorded")
    func limited() async throws {
        await #expect(throws: Refused.self) { _ = try await take(admit: { throw Refused() }) }
        #expect(rows.now.captures.isEmpty && rows.now.announced.isEmpty)
    }

    @Test("one that is too large is refused as soon as that is known, whoever signed it")
    func tooLarge() async throws {
        await #expect(throws: CaptureError.hashOnlyTooLarge) {
            _ = try await take(
                [UInt8](repeating: 0x20, count: SizeLimits.hashOnlyBody + 1), authenticate: { _ in Issue.record("it was read to its end") })
        }
    }

    @Test("an error of the database is passed on; whatever came of it, the same again is recorded once", arguments: [false, true])
    func databaseError(isCommitted: Bool) async throws {
        let fault: MemoryCaptures.Fault = isCommitted ? .answerLost : .rolledBack
        rows.fail(with: fault)
        await #expect(throws: fault) { _ = try await take() }
        rows.fail(with: nil)
        let (_, _, recorded) = try await take()
        #expect(isNew(recorded) == !isCommitted)
        #expect(rows.now.captures.count == 1 && rows.now.announced.count == 1)
    }
}
