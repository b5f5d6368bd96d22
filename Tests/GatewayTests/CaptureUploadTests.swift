import CaptureProtocol
import CoreMetrics
import Foundation
import Logging
import Models
import Multipart
import ObjectStorage
import Observability
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway

@Suite("Uploads of captures")
struct CaptureUploadTests {
    private struct Refused: RecordingRefusal {}

    private let rows = MemoryCaptures()
    private let store = MemoryObjectStore()
    private let device = DeviceID()
    private var upload: CaptureUpload { CaptureUpload(captures: rows, intakes: rows, storage: store) }

    private func take(
        _ bytes: [UInt8]? = nil, breakingOff failure: (any Error)? = nil, provided condition: RecordingCondition? = nil,
        authenticate: (ContentDigest) async throws -> Void = { _ in }, admit: () async throws -> Void = {}
    ) async throws -> (id: CaptureID, recorded: Recorded) {
        try await upload.take(
            bodyStream(bytes ?? PhotoBody().bytes(), breakingOff: failure),
            IncomingBody(type: .photo, boundary: PhotoBody.boundary(), begun: .now, receivedAt: now, condition: condition, logger: .quiet),
            from: device, authenticate: authenticate, admit: admit)
    }

    private func keys(of capture: CaptureID) -> Set<String> {
        Set([MediaName.original, .depth, .metadata].map { $0.key(of: capture) })
    }

    /// Whether nothing is left of any upload.
    private var isEmpty: Bool { store.keys.isEmpty && rows.now.intakes.isEmpty && rows.now.captures.isEmpty }

    private func isNew(_ recorded: Recorded) -> Bool {
        guard case .new = recorded else { return false }
        return true
    }

    @Test("a sound one is recorded and announced, and its objects belong to the capture")
    func accepted() async throws {
        let body = PhotoBody()
        let bytes = try body.bytes()
        var signed: ContentDigest?
        var isAdmitted = false
        let (id, recorded) = try await take(bytes) {
            signed = $0
            #expect(!isAdmitted, "what is not signed is not counted")
        } admit: {
            isAdmitted = true
        }
        #expect(isNew(recorded) && isAdmitted && signed == ContentDigest(of: bytes))
        #expect(store.keys == keys(of: id) && store.bytes(MediaName.original.key(of: id)) == body.photo)
        #expect(rows.now.intakes.isEmpty && rows.now.announced == [id.description])
        let row = try #require(try await rows.find(id))
        #expect(row.deviceID == device && row.mediaHash == ContentDigest(of: body.photo) && row.uploadedAt == now)
    }

    @Test("the same again is the same capture, and brings its bytes to it", arguments: [CaptureStatus.processing, .failed])
    func again(status: CaptureStatus) async throws {
        let first = try await take()
        rows.set(status, of: first.id)
        let second = try await take()
        guard case .known(let known) = second.recorded else {
            Issue.record("another capture")
            return
        }
        #expect(known.id == first.id && known.status == status && second.id != first.id)
        #expect(store.keys == keys(of: first.id).union(keys(of: second.id)))
        #expect(rows.now.intakes[second.id]?.brings == first.id)
        #expect(rows.now.announced == [first.id.description])
    }

    @Test("the same again leaves nothing if the capture is complete")
    func complete() async throws {
        let first = try await take()
        rows.set(.complete, of: first.id)
        let second = try await take()
        guard case .known(let known) = second.recorded else {
            Issue.record("another capture")
            return
        }
        #expect(known.id == first.id && known.status == .complete)
        #expect(store.keys == keys(of: first.id) && rows.now.intakes.isEmpty)
    }

    @Test("accepted ones are counted once, and from 0, so that none is seen as none")
    func counted() async throws {
        let metrics = MetricsRegistry()
        func count() -> Substring? {
            metrics.exposition().split(separator: "\n").first { $0.hasPrefix("rial_captures_accepted_total ") }
        }
        try await withMetricsFactory(metrics) {
            CaptureUpload.showCounters()
            #expect(count() == "rial_captures_accepted_total 0")
            for _ in 0..<2 { _ = try await take() }
            #expect(count() == "rial_captures_accepted_total 1")
        }
    }

    @Test("another photo, or another device, is another capture")
    func other() async throws {
        let first = try await take()
        let second = try await take(PhotoBody(photo: [0xff, 0xd8, 0xff, 1]).bytes())
        #expect(isNew(first.recorded) && isNew(second.recorded) && rows.now.captures.count == 2)
        let (third, recorded) = try await upload.take(
            bodyStream(PhotoBody().bytes()), IncomingBody(type: .photo, boundary: PhotoBody.boundary(), begun: .now, logger: .quiet),
            from: DeviceID(), authenticate: { _ in }, admit: {})
        #expect(isNew(recorded) && rows.now.captures[third] != nil)
    }

    @Test("one that the device has not signed leaves nothing, and is not counted")
    func unsigned() async throws {
        await #expect(throws: Refused.self) {
            _ = try await take(authenticate: { _ in throw Refused() }, admit: { Issue.record("it was counted") })
        }
        #expect(isEmpty && rows.now.announced.isEmpty)
    }

    @Test("one that contradicts itself leaves nothing, and is not counted")
    func invalid() async throws {
        await #expect(throws: CaptureError.invalid("photo_hash", "is not the photo's SHA-256", .metadata)) {
            _ = try await take(PhotoBody(photoHash: ContentDigest(of: [1])).bytes(), admit: { Issue.record("it was counted") })
        }
        #expect(isEmpty)
    }

    @Test("one that breaks off or is no form leaves nothing")
    func broken() async throws {
        let bytes = try PhotoBody(photo: [0xff, 0xd8, 0xff] + [UInt8](repeating: 7, count: 5000)).bytes()
        await #expect(throws: Refused.self) { _ = try await take(Array(bytes.prefix(3000)), breakingOff: Refused()) }
        #expect(isEmpty)
        await #expect(throws: MultipartError.self) { _ = try await take(Array(bytes.dropLast(10))) }
        #expect(isEmpty && store.requests.contains { $0.verb == .put })
    }

    @Test("one beyond the limit is refused when it is known to be sound, leaves nothing, and is accepted later")
    func limited() async throws {
        let buckets = MemoryTokenBuckets()
        let limits = try RateLimits(ServiceEnvironment(["RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST": "1"]))
        let acceptance = CaptureAcceptance(upload: upload, rates: CaptureRates(buckets: buckets, limits: limits))
        let known = KnownDevice(id: device, requestKey: nil, attestedKey: nil, appID: nil, isRevoked: false)
        let address = ClientAddress(makeRequest(), makeContext(), trusting: [])
        func accept(_ number: UInt8) async throws -> RecordedCapture {
            try await acceptance.accept(
                bodyStream(PhotoBody(photo: [0xff, 0xd8, 0xff, number]).bytes()),
                IncomingBody(type: .photo, boundary: PhotoBody.boundary(), begun: .now, logger: .quiet), from: known, at: address
            ) { _ in }
        }
        let first = try await accept(1)
        #expect(first.isNew && first.status == .processing && first.allowance?.remaining == 0)
        await #expect(throws: RateLimitExceeded.self) { _ = try await accept(2) }
        #expect(store.keys == keys(of: first.id) && rows.now.intakes.isEmpty && rows.now.captures.count == 1)
        buckets.age(by: 3600)
        let second = try await accept(2)
        #expect(second.isNew && rows.now.captures.count == 2)
    }

    @Test("where the store refuses, nothing is recorded and nothing is left", arguments: [MediaName.original, .depth, .metadata])
    func storeRefuses(name: MediaName) async throws {
        store.refuse { $0.verb == .put && $0.key.hasSuffix(name.rawValue) ? .accessDenied : nil }
        let failure = await storageCode { _ = try await take() }
        #expect(failure == .accessDenied && isEmpty)
    }

    @Test(
        "where the store does not answer, the intake stays for the sweep, since it may still put the object",
        arguments: [MediaName.original, .depth, .metadata], [false, true])
    func storeSilent(name: MediaName, isCarriedOut: Bool) async throws {
        if isCarriedOut {
            store.loseAnswers { $0.verb == .put && $0.key.hasSuffix(name.rawValue) }
        } else {
            store.refuse { $0.verb == .put && $0.key.hasSuffix(name.rawValue) ? .unavailable : nil }
        }
        let failure = await storageCode { _ = try await take() }
        #expect(failure == .unavailable)
        #expect(store.keys.isEmpty && rows.now.captures.isEmpty)
        #expect(rows.now.intakes.count == 1)
    }

    @Test("what cannot be deleted is left to the sweep, and the refusal is answered all the same")
    func undeletable() async throws {
        store.refuse { $0.verb == .delete ? .unavailable : nil }
        await #expect(throws: Refused.self) { _ = try await take(authenticate: { _ in throw Refused() }) }
        #expect(rows.now.captures.isEmpty && rows.now.intakes.count == 1)
    }

    @Test("without an intake nothing is stored")
    func noIntake() async throws {
        rows.fail(with: .unreachable)
        await #expect(throws: MemoryCaptures.Fault.unreachable) { _ = try await take() }
        #expect(!store.requests.contains { $0.verb == .put })
    }

    @Test("a transaction that was rolled back leaves nothing, and its error is passed on")
    func rolledBack() async throws {
        rows.fail(with: .rolledBack)
        await #expect(throws: MemoryCaptures.Fault.rolledBack) { _ = try await take() }
        #expect(isEmpty)
        rows.fail(with: nil)
        let (_, recorded) = try await take()
        #expect(isNew(recorded))
    }

    @Test("a COMMIT without an answer is a new capture, and none of its bytes go")
    func answerLost() async throws {
        rows.fail(with: .answerLost)
        let (id, recorded) = try await take()
        #expect(isNew(recorded) && store.keys == keys(of: id) && rows.now.captures[id] != nil)
        #expect(rows.now.announced == [id.description])
    }

    @Test("where nobody knows whether it was recorded, all its bytes stay")
    func unknown() async throws {
        await #expect(throws: MemoryCaptures.Fault.unreachable) {
            _ = try await take(admit: { rows.fail(with: .unreachable) })
        }
        let id = try #require(rows.now.intakes.keys.first)
        #expect(store.keys == keys(of: id) && rows.now.intakes[id]?.isAbandoned == false)
    }

    @Test("nothing is recorded of an upload that the sweep has given up meanwhile, its objects go, and no recording is in doubt")
    func abandoned() async throws {
        try await expectNoDoubt {
            await #expect(throws: CaptureError.intakeExpired) {
                _ = try await take(admit: { for id in rows.now.intakes.keys { rows.abandon(id) } })
            }
        }
        #expect(isEmpty)
    }

    @Test("an upload that the sweep has given up meanwhile brings nothing to a capture that is known")
    func abandonedRepetition() async throws {
        let first = try await take()
        await #expect(throws: CaptureError.intakeExpired) {
            _ = try await take(admit: { for id in rows.now.intakes.keys { rows.abandon(id) } })
        }
        // Its objects are the sweep's.
        #expect(rows.now.intakes.values.map(\.brings) == [nil] && rows.now.captures.keys.map(\.self) == [first.id])
    }

    @Test("one that could be resumed is recorded only while it is open; if it is not, no recording is in doubt")
    func condition() async throws {
        let (open, closed) = (UUID(), UUID())
        rows.set(upload: open, isOpen: true)
        try await expectNoDoubt {
            await #expect(throws: Refused.self) { _ = try await take(provided: RecordingCondition(openUpload: closed, refusal: Refused())) }
        }
        #expect(isEmpty)
        let (_, recorded) = try await take(provided: RecordingCondition(openUpload: open, refusal: Refused()))
        #expect(isNew(recorded))
    }

    /// Expects that no outcome of a recording had to be looked up.
    private func expectNoDoubt(_ body: () async throws -> Void) async throws {
        let metrics = MetricsRegistry()
        try await withMetricsFactory(metrics) {
            CaptureUpload.showCounters()
            try await body()
        }
        let counts = metrics.exposition().split(separator: "\n").filter { $0.hasPrefix("rial_recordings_in_doubt_total{") }
        #expect(counts.count == RecordingOutcome.allCases.count && counts.allSatisfy { $0.hasSuffix(" 0") }, "\(counts)")
    }

    private func storageCode(_ body: () async throws -> Void) async -> ObjectStorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ObjectStorageError)?.code
        }
    }
}
