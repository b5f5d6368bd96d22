import CaptureProtocol
import Delivery
import Foundation
import HTTPTypes
import Logging
import Models
import NIOCore
import Persistence
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Uploads that resume, in memory and in PostgreSQL")
struct UploadRepositoryTests {
    static let contentType = "multipart/form-data; boundary=x"

    static func offer(_ bytes: [UInt8], length: Int = 100, isEmpty: Bool = true) throws -> UploadOffer {
        var fields: HTTPFields = [
            .contentType: contentType, .uploadDraftInteropVersion: "6", .uploadComplete: "?0", .uploadLength: "\(length)",
            .deviceSignatureVersion: "2", .reprDigest: "sha-256=:\(Base64.encode(ContentDigest(of: bytes).bytes)):",
        ]
        if !isEmpty { fields[.contentLength] = "\(length)" }
        return try #require(try UploadOffer(fields))
    }

    static func create(
        _ uploads: any UploadRepository, _ device: DeviceID, _ bytes: [UInt8] = [1], isEmpty: Bool = true, token: UploadToken = .random()
    ) async throws -> UploadCreation {
        try await uploads.create(
            offer(bytes, isEmpty: isEmpty), .photo, contentType: contentType, device: device, token: token, runner: isEmpty ? nil : UUID())
    }

    static func new(_ uploads: any UploadRepository, _ device: DeviceID, _ bytes: [UInt8] = [1]) async throws -> Upload {
        guard case .new(let upload, nil) = try await create(uploads, device, bytes) else {
            Issue.record("not a new upload")
            throw CancellationError()
        }
        return upload
    }

    private static func with(_ body: @Sendable (PostgresUploadRepository, DeviceID) async throws -> Void) async throws {
        try await GatewayDatabase.with { pool in
            try await body(PostgresUploadRepository(database: pool), try await CaptureRepositoryTests.insertDevice(pool))
        }
    }

    @Test(
        "a new one is open, empty, found by its address alone, and its folder is known before its first byte", arguments: Backend.available)
    func created(backend: Backend) async throws {
        try await backend.with { rig in
            let (token, device) = (UploadToken.random(), try await rig.insertDevice())
            guard case .new(let upload, nil) = try await Self.create(rig.uploads, device, token: token) else { throw CancellationError() }
            #expect(upload.state == .open && upload.offset == 0 && upload.length == 100 && upload.epoch == 0 && upload.runner == nil)
            #expect((23 * 3600...24 * 3600).contains(upload.seconds(at: Date())))
            #expect(try await rig.uploads.find(token)?.id == upload.id)
            #expect(try await rig.uploads.find(.random()) == nil)
            #expect(try await rig.folders() == [upload.id])
        }
    }

    @Test("an empty creation of the same body finds it, at a new address; one with a body replaces it", arguments: Backend.available)
    func again(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, device) = (rig.uploads, try await rig.insertDevice())
            let (first, second) = (UploadToken.random(), UploadToken.random())
            guard case .new(let upload, nil) = try await Self.create(uploads, device, token: first) else { throw CancellationError() }
            guard case .found(let found) = try await Self.create(uploads, device, token: second) else { throw CancellationError() }
            #expect(found.id == upload.id)
            #expect(try await uploads.find(first) == nil)
            #expect(try await uploads.find(second)?.id == upload.id)
            // Another device's, or another body, is another upload.
            let other = try await rig.insertDevice()
            guard case .new(_, nil) = try await Self.create(uploads, other) else { throw CancellationError() }
            guard case .new(_, nil) = try await Self.create(uploads, device, [2]) else { throw CancellationError() }
            guard case .new(let third, let replaced) = try await Self.create(uploads, device, isEmpty: false) else {
                throw CancellationError()
            }
            #expect(replaced == upload.id && third.runner != nil && third.epoch == 1)
            #expect(try await uploads.find(upload.id)?.state == .ended)
        }
    }

    @Test("a body of which a capture was made is known, unless that failed", arguments: Backend.available)
    func recorded(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, device, id) = (rig.uploads, try await rig.insertDevice(), CaptureID())
            let upload = try await Self.new(uploads, device)
            _ = try await rig.record(id, by: device)
            let capture = AcceptedCapture(
                captureID: id, type: nil, status: .processing, verificationURL: "https://rial.test/verify/\(id)")
            try await uploads.finish(upload.id, UploadAnswer(isNew: true, capture: capture))
            let done = try #require(try await uploads.find(upload.id))
            #expect(done.state == .done && done.answer?.capture == capture && done.answer?.isNew == true)
            #expect((6 * 86_400...7 * 86_400).contains(done.seconds(at: Date())))
            guard case .recorded(let again, let answer) = try await Self.create(uploads, device) else { throw CancellationError() }
            #expect(again.id == upload.id && answer.capture == capture && !answer.isNew)
            try await rig.fail(id)
            guard case .new = try await Self.create(uploads, device) else { throw CancellationError() }
        }
    }

    @Test("a capture is recorded only of an upload that is open, which a new one closes", arguments: Backend.available)
    func condition(backend: Backend) async throws {
        try await backend.with { rig in
            let device = try await rig.insertDevice()
            let (open, cancelled) = (try await Self.new(rig.uploads, device, [1]), try await Self.new(rig.uploads, device, [2]))
            #expect(try await rig.uploads.end(cancelled.id))
            for (upload, isRecorded) in [(cancelled, false), (open, true)] {
                let id = CaptureID()
                try await rig.intakes.open(id, device: device)
                let condition = RecordingCondition(openUpload: upload.id.uuid, refusal: UploadError.gone)
                var isGone = false
                do {
                    _ = try await rig.captures.record(
                        id, CaptureRepositoryTests.submission(), device: device, begun: .now, receivedAt: now, provided: condition,
                        sentAtOnce: nil)
                } catch UploadError.gone {
                    isGone = true
                }
                #expect(isGone != isRecorded)
                let stored = try await rig.captureIDs()
                #expect(stored == (isRecorded ? [id] : []))
                #expect(try await !rig.uploads.end(upload.id))
                let closed = try #require(try await rig.uploads.find(upload.id))
                #expect(closed.state == (isRecorded ? .done : .ended) && closed.runner == nil)
                #expect(closed.answer?.capture.captureID == (isRecorded ? id : nil))
            }
            // The device has sent the same capture before: its bytes are not yet left to that one.
            let (again, second) = (try await Self.new(rig.uploads, device, [3]), CaptureID())
            try await rig.intakes.open(second, device: device)
            _ = try await rig.captures.record(
                second, CaptureRepositoryTests.submission(), device: device, begun: .now, receivedAt: now,
                provided: RecordingCondition(openUpload: again.id.uuid, refusal: UploadError.gone), sentAtOnce: nil)
            #expect(try await rig.uploads.find(again.id)?.state == .open)
        }
    }

    @Test("a capture of the same body, sent in one request, ends what the device has begun, and nothing else", arguments: Backend.available)
    func sentAtOnce(backend: Backend) async throws {
        try await backend.with { rig in
            let (device, other) = (try await rig.insertDevice(), try await rig.insertDevice())
            let same = try await Self.new(rig.uploads, device, [1])
            var kept = [try await Self.new(rig.uploads, device, [2]), try await Self.new(rig.uploads, other, [1])]
            // A request is completing it: it finds the same capture.
            let offer = try Self.offer([1], length: 1)
            let full = try await rig.uploads.create(
                offer, .video, contentType: Self.contentType, device: device, token: .random(), runner: UUID())
            guard case .new(let completing, _) = full else { throw CancellationError() }
            #expect(try await rig.uploads.grow(completing, from: 0, by: 1, key: "incoming/\(completing.id)/body/0-1"))
            kept.append(completing)
            let id = CaptureID()
            try await rig.intakes.open(id, device: device)
            _ = try await rig.captures.record(
                id, CaptureRepositoryTests.submission(), device: device, begun: .now, receivedAt: nil, provided: nil,
                sentAtOnce: ContentDigest(of: [1]))
            #expect(try await rig.uploads.find(same.id)?.state == .ended)
            for upload in kept { #expect(try await rig.uploads.find(upload.id)?.state == .open) }
            #expect(try await rig.captureIDs() == [id])
        }
    }

    @Test("one that has ended keeps no digest of its body", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func forgotten() async throws {
        try await Self.with { uploads, device in
            let (ended, expired) = (try await Self.new(uploads, device, [1]), try await Self.new(uploads, device, [2]))
            let open = try await Self.new(uploads, device, [3])
            #expect(try await uploads.end(ended.id))
            _ = try await uploads.database.query("UPDATE uploads SET expires_at = now() WHERE id = \(expired.id.uuid)")
            #expect(try await uploads.closeExpired(limit: 10)?.expired == 1)
            let digests = try await uploads.database.query("SELECT body_sha256 FROM uploads").map {
                try $0.get("body_sha256", as: [UInt8].self)
            }
            let known = [1, 2, 3].filter { digests.contains(ContentDigest(of: [UInt8($0)]).bytes) }
            #expect(known == [3] && digests.count == 3)
            #expect(try await uploads.find(open.id)?.digest == ContentDigest(of: [3]))
        }
    }

    /// Without a store, unless one is given.
    private static func resumable(_ uploads: PostgresUploadRepository, store: String = "http://127.0.0.1:1") throws -> ResumableUploads {
        let database = uploads.database
        let storage = TestBucket.client(try TestBucket.configuration("none", endpoint: store))
        let upload = CaptureUpload(
            captures: PostgresCaptureRepository(database: database, outbox: Outbox(.gateway)),
            intakes: PostgresIntakeRepository(database: database), storage: storage)
        let rates = CaptureRates(buckets: PostgresTokenBuckets(database: database), limits: try RateLimits(ServiceEnvironment([:])))
        return ResumableUploads(
            uploads: uploads, runs: UploadRuns(), storage: storage, devices: PostgresDeviceRepository(database: database),
            acceptance: CaptureAcceptance(upload: upload, rates: rates))
    }

    @Test(
        "a body that another request completes at this moment is known, too", .timeLimit(.minutes(1)),
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint), arguments: [true, false])
    func completing(isEmpty: Bool) async throws {
        try await Self.with { uploads, device in
            let resumable = try Self.resumable(uploads)
            let upload = try await Self.new(uploads, device)
            let id = CaptureID()
            _ = try await CaptureRepositoryTests.record(id, on: uploads.database, device)
            let capture = AcceptedCapture(
                captureID: id, type: nil, status: .processing, verificationURL: "https://rial.test/verify/\(id)")
            let offer = try Self.offer([1], isEmpty: isEmpty)
            let creating = try await uploads.database.withTransaction { connection in
                // As the other request closes it.
                try await connection.query(
                    """
                    UPDATE uploads SET state = 'done', capture_id = \(id.uuid),
                        answer = \(PostgresJSON(encoding: UploadAnswer(isNew: true, capture: capture)))
                    WHERE id = \(upload.id.uuid)
                    """)
                let creation = Task {
                    try await resumable.create(offer, .photo, contentType: Self.contentType, device: device, token: .random())
                }
                try await waitForWaiter(behind: connection, within: .seconds(30))
                return creation
            }
            guard case .recorded(let found, let answer) = try await creating.value else { throw CancellationError() }
            #expect(found.id == upload.id && answer.capture == capture && !answer.isNew)
        }
    }

    @Test(
        "one that a single request brought leaves no row of a folder once it is a capture, unless the store may still put a segment",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint), arguments: [false, true])
    func unansweredSegment(isUnanswered: Bool) async throws {
        let body = try PhotoBody().bytes()
        let puts = Mutex(0)
        let server = try LoopbackServer { sent in
            // The segment is not read again. The answer to a deletion says nothing.
            guard !sent.isEmpty else { return (200, []) }
            let number = puts.withLock { count in
                count += 1
                return count
            }
            guard number > 1 || !isUnanswered else { return nil }
            return (200, [])
        }
        try await Self.with { uploads, device in
            let resumable = try Self.resumable(uploads, store: server.url.absoluteString)
            let offer = try Self.offer(body, length: body.count, isEmpty: false)
            let creation = try await resumable.create(offer, .photo, contentType: Self.contentType, device: device, token: .random())
            guard case .new(let upload, nil) = creation else { throw CancellationError() }
            let received = try await resumable.runs.holding(upload.id) { holder in
                try await resumable.receive(bodyStream(body), length: nil, into: upload, holder, abort: {})
            }
            #expect(received.upload.isFull && received.isUnanswered == isUnanswered)
            let address = ClientAddress(makeRequest(), makeContext(), trusting: [])
            let (answer, _) = try await resumable.complete(
                received, begun: .now, from: address, publicURL: "https://rial.test", logger: Logger(label: "tests"))
            #expect(answer.isNew)
            try await eventually(within: .seconds(30), "its segments are deleted") { try await uploads.emptied(among: [upload.id]) == 1 }
            let left = try await uploads.database.query("SELECT id FROM intakes").map { try $0.get("id", as: UUID.self) }
            #expect(left == (isUnanswered ? [upload.id.uuid] : []))
        }
    }

    @Test("one to which no request ever added leaves no folder when it ends; another one does", arguments: Backend.available)
    func folders(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, device) = (rig.uploads, try await rig.insertDevice())
            let cancelled = try await Self.new(uploads, device, [1])
            #expect(try await uploads.end(cancelled.id))
            let begun = try await Self.new(uploads, device, [2])
            _ = try #require(try await uploads.claim(begun.id, runner: UUID()))
            #expect(try await uploads.end(begun.id))
            let replaced = try await Self.new(uploads, device, [3])
            guard case .new(let next, let ended) = try await Self.create(uploads, device, [3], isEmpty: false) else {
                throw CancellationError()
            }
            #expect(ended == replaced.id)
            #expect(try await rig.folders() == [begun.id, next.id])
            #expect(try await uploads.end(next.id))
            try await uploads.noteEmptied(begun.id, leavesNothing: false)
            try await uploads.noteEmptied(next.id, leavesNothing: true)
            #expect(try await rig.folders() == [begun.id])
        }
    }

    @Test(
        "a device has ten open ones at most, also with many requests at once, and learns when the first expires",
        arguments: Backend.available)
    func limit(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, device) = (rig.uploads, try await rig.insertDevice())
            let outcomes = await withTaskGroup(of: APIError?.self) { group in
                for number in 0..<16 {
                    group.addTask { await refusal { _ = try await Self.create(uploads, device, [UInt8(number)]) } }
                }
                return await group.reduce(into: [APIError?]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 10)
            for error in outcomes.compactMap(\.self) {
                #expect(error.code == .rateLimited && (80_000...86_400).contains(Int(error.headers[.retryAfter] ?? "") ?? 0))
            }
            let one = try #require(try await rig.folders().first)
            try await rig.expire(one)
            #expect(await refusal { _ = try await Self.create(uploads, device, [99]) } == nil)
        }
    }

    @Test(
        "it grows only for the epoch and the offset that its request began at; of two that claim it the later one adds",
        arguments: Backend.available)
    func fenced(backend: Backend) async throws {
        try await backend.with { rig in
            let uploads = rig.uploads
            let upload = try await Self.new(uploads, try await rig.insertDevice())
            let runner = UUID()
            let first = try #require(try await uploads.claim(upload.id, runner: runner))
            #expect(first.epoch == 1 && first.runner == runner)
            #expect(try await uploads.grow(first, from: 0, by: 30, key: UploadSegment.key(upload.id, start: 0, epoch: 2)))
            #expect(try await !uploads.grow(first, from: 0, by: 30, key: UploadSegment.key(upload.id, start: 0, epoch: 2)))
            let second = try #require(try await uploads.claim(upload.id, runner: nil))
            #expect(second.offset == 30 && second.runner == nil)
            #expect(try await !uploads.grow(first, from: 30, by: 10, key: UploadSegment.key(upload.id, start: 30, epoch: 2)))
            #expect(try await uploads.grow(second, from: 30, by: 10, key: UploadSegment.key(upload.id, start: 30, epoch: 3)))
            #expect(try await uploads.begin(.random(), runner: runner) == nil)
            // The earlier one does not end what the later one does.
            try await uploads.release(first)
            #expect(try await uploads.grow(second, from: 40, by: 60, key: UploadSegment.key(upload.id, start: 40, epoch: 3)))
            let full = try #require(try await uploads.find(upload.id))
            #expect(full.isFull && full.receivedAt != nil && full.offset == 100)
            #expect(try await uploads.segments(of: upload.id).map(\.sizeBytes) == [30, 10, 60])
            await #expect(throws: PostgresError.self) {
                _ = try await uploads.grow(full, from: 100, by: 1, key: UploadSegment.key(upload.id, start: 100, epoch: 3))
            }
        }
    }

    @Test(
        "its last bytes are not taken while the database's time is more than a minute from the gateway's; those before them are",
        arguments: Backend.available, [-180.0, 180])
    func clocks(backend: Backend, ahead: Double) async throws {
        try await backend.with { rig in
            let wrong = rig.uploads(databaseAhead: ahead)
            let upload = try await Self.new(wrong, try await rig.insertDevice())
            let claimed = try #require(try await wrong.claim(upload.id, runner: nil))
            let key = UploadSegment.key(upload.id, start: 0, epoch: 1)
            let isAdded = try await wrong.grow(claimed, from: 0, by: 60, key: key)
            #expect(isAdded)
            await #expect(throws: CaptureError.clocksDiffer) { _ = try await wrong.grow(claimed, from: 60, by: 40, key: key) }
            let waiting = try #require(try await wrong.find(upload.id))
            #expect(waiting.state == .open && waiting.offset == 60 && waiting.receivedAt == nil)
            let right = rig.uploads
            let isComplete = try await right.grow(claimed, from: 60, by: 40, key: UploadSegment.key(upload.id, start: 60, epoch: 1))
            #expect(isComplete)
            #expect(try await right.find(upload.id)?.receivedAt != nil)
        }
    }

    @Test("one that belongs to no request is begun at its address, once", arguments: Backend.available)
    func begun(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, token, runner) = (rig.uploads, UploadToken.random(), UUID())
            guard case .new(let upload, nil) = try await Self.create(uploads, try await rig.insertDevice(), token: token) else {
                throw CancellationError()
            }
            let begun = try #require(try await uploads.begin(token, runner: runner))
            #expect(begun.id == upload.id && begun.epoch == 1 && begun.runner == runner)
            #expect(try await uploads.begin(token, runner: UUID()) == nil)
            try await uploads.release(begun)
            #expect(try await uploads.begin(token, runner: UUID())?.epoch == 2)
        }
    }

    @Test("what has ended, is done or expired is not claimed and does not grow", arguments: Backend.available)
    func closed(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, device) = (rig.uploads, try await rig.insertDevice())
            let ended = try await Self.new(uploads, device, [1])
            #expect(try await uploads.end(ended.id))
            #expect(try await !uploads.end(ended.id))
            let expired = try await Self.new(uploads, device, [2])
            try await rig.expire(expired.id)
            for upload in [ended, expired] {
                #expect(try await uploads.claim(upload.id, runner: nil) == nil)
                #expect(try await !uploads.grow(upload, from: 0, by: 1, key: UploadSegment.key(upload.id, start: 0, epoch: 1)))
                #expect(try await uploads.segments(of: upload.id).isEmpty)
            }
        }
    }

    @Test(
        "one whose row does not say what it is, is not taken for a photo",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func untyped() async throws {
        try await Self.with { uploads, device in
            _ = try await Self.new(uploads, device)
            let failure = await error(PostgresError.self) {
                _ = try await uploads.database.query(
                    """
                    INSERT INTO uploads (id, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, expires_at)
                    SELECT gen_random_uuid(), sha256('another'), device_id, interop_version, content_type, body_sha256, length_bytes,
                        expires_at FROM uploads
                    """)
            }
            #expect(failure?.sqlState == "23502")
        }
    }

    @Test(
        "a row with a state or a version that is not known here is an error, and no ended or newest upload",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint),
        arguments: [("state", "'paused'"), ("interop_version", "9")])
    func unknown(column: String, value: String) async throws {
        try await Self.with { uploads, device in
            _ = try await Self.new(uploads, device)
            let failure = await error(PostgresError.self) {
                // Of two columns with one name, the first counts.
                let rows = try await uploads.database.query(
                    "SELECT \(unescaped: value) AS \(unescaped: column), \(Upload.columns) FROM uploads")
                _ = try rows.map(Upload.init)
            }
            #expect(failure?.code == .decoding)
        }
    }

    @Test("it has at most a thousand segments", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func segments() async throws {
        try await Self.with { uploads, device in
            let upload = try await Self.new(uploads, device)
            _ = try await uploads.database.query("UPDATE uploads SET length_bytes = 5000, offset_bytes = 999")
            _ = try await uploads.database.query(
                """
                INSERT INTO upload_segments
                SELECT \(upload.id.uuid), number, 1, 'incoming/' || \(upload.id.description) || '/body/' || number
                FROM generate_series(0, 998) AS number
                """)
            #expect(try await uploads.grow(upload, from: 999, by: 1, key: UploadSegment.key(upload.id, start: 999, epoch: 1)))
            #expect(try await !uploads.grow(upload, from: 1000, by: 1, key: UploadSegment.key(upload.id, start: 1000, epoch: 1)))
        }
    }

    @Test("what is over ends, is found until its segments are gone, and is forgotten after seven days", arguments: Backend.available)
    func cleaned(backend: Backend) async throws {
        try await backend.with { rig in
            let (uploads, upkeep, device) = (rig.uploads, rig.upkeep, try await rig.insertDevice())
            let kept = try await Self.new(uploads, device, [1])
            let over = try await Self.new(uploads, device, [2])
            #expect(try await uploads.grow(over, from: 0, by: 10, key: UploadSegment.key(over.id, start: 0, epoch: 1)))
            #expect(try await upkeep.open().uploads == 2)
            #expect(try await upkeep.open().bytes == 10)
            try await rig.expire(over.id)
            let closed = try #require(try await upkeep.closeExpired(limit: 10))
            #expect(closed.expired == 1 && closed.closed == [over.id])
            #expect(try await upkeep.closeExpired(limit: 10)?.closed == [over.id])
            #expect(try await upkeep.forgetOld(limit: 10) == 0)
            try await uploads.noteEmptied(over.id, leavesNothing: false)
            #expect(try await uploads.segments(of: over.id).isEmpty)
            #expect(try await upkeep.emptied(among: [over.id, kept.id]) == 1)
            #expect(try await upkeep.closeExpired(limit: 10)?.closed.isEmpty == true)
            // Its folder is still to be emptied, since a segment without a row may be there.
            #expect(try await rig.folders().count == 2)
            #expect(try await upkeep.forgetOld(limit: 10) == 0)
            try await rig.expire(over.id)
            #expect(try await upkeep.forgetOld(limit: 10) == 1)
            #expect(try await uploads.find(over.id) == nil)
            #expect(try await uploads.find(kept.id)?.state == .open)
        }
    }

    @Test("another gateway's cleaning is not waited for", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func lock() async throws {
        try await GatewayDatabase.with(pools: 2) { pools in
            try await pools[0].withTransaction { connection in
                try await connection.query("SELECT pg_advisory_xact_lock(hashtext('rial-clean-uploads'))")
                #expect(try await PostgresUploadRepository(database: pools[1]).closeExpired(limit: 1) == nil)
            }
        }
    }
}
