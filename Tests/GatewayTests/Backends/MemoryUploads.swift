import CaptureProtocol
import Foundation
import Models
import Persistence
import Synchronization

@testable import Gateway

/// The uploads that may be resumed, in memory.
final class MemoryUploads: UploadRepository, UploadUpkeepRepository {
    private static let kept: TimeInterval = 7 * 86_400

    struct Entry {
        let offer: UploadOffer
        let type: CaptureType
        let contentType: String
        let device: DeviceID
        var token: ContentDigest
        var version: InteropVersion
        var epoch: Int64
        var runner: UUID?
        var state = Upload.State.open
        var answer: UploadAnswer?
        var receivedAt: Date?
        var expiresAt = Date().addingTimeInterval(86_400)
        var segments: [UploadSegment] = []
        var isEmptied = false

        var offset: Int64 { segments.reduce(0) { $0 + $1.sizeBytes } }
        var isInTime: Bool { expiresAt > Date() }
        var isUsable: Bool { state == .open && isInTime }

        mutating func end() {
            state = .ended
            epoch += 1
            runner = nil
        }
    }

    struct State {
        var entries: [UploadID: Entry] = [:]
        /// The ids in the order of their creation.
        var order: [UploadID] = []
        var folders: Set<UploadID> = []
        var asked: [UploadID] = []
        var isCleanedElsewhere = false
        var whenAsked: @Sendable (UploadID) async throws -> Void = { _ in }
        var finishFailure: (any Error)?
        /// How far the database's clock is ahead of the gateway's, in seconds.
        var ahead = 0.0

        func upload(_ id: UploadID) -> Upload? {
            entries[id].map { entry in
                Upload(
                    id: id, type: entry.type, device: entry.device, version: entry.version, contentType: entry.contentType,
                    digest: entry.offer.digest, length: entry.offer.length, offset: entry.offset, epoch: entry.epoch, runner: entry.runner,
                    state: entry.state, answer: entry.answer, receivedAt: entry.receivedAt, expiresAt: entry.expiresAt)
            }
        }

        /// Closes an open upload that becomes nothing. One that never belonged to a request that adds to it leaves no folder.
        mutating func end(_ id: UploadID) -> Bool {
            guard entries[id]?.state == .open else { return false }
            entries[id]?.end()
            entries[id]?.expiresAt = Date().addingTimeInterval(MemoryUploads.kept)
            if entries[id]?.epoch == 1 { folders.remove(id) }
            return true
        }

        /// Those that expire first.
        func first(_ limit: Int, where isWanted: (Entry) -> Bool) -> [UploadID] {
            entries.filter { isWanted($0.value) }.sorted { $0.value.expiresAt < $1.value.expiresAt }.prefix(limit).map { $0.key }
        }

        mutating func move(_ id: UploadID, to token: UploadToken, _ version: InteropVersion) throws -> Upload {
            entries[id]?.token = token.digest
            entries[id]?.version = version
            guard let upload = upload(id) else { throw UploadError.gone }
            return upload
        }
    }

    private let state = Mutex(State())
    private let captures: MemoryCaptures

    init(of captures: MemoryCaptures) {
        self.captures = captures
        captures.whenSentAtOnce { [weak self] device, body in self?.end(of: body, by: device) }
        captures.whenMadeOfUpload { [weak self] upload, answer in self?.close(UploadID(upload), answer) }
    }

    private func end(of body: ContentDigest, by device: DeviceID) {
        state.withLock { state in
            for (id, entry) in state.entries where entry.device == device && entry.offer.digest == body {
                if entry.receivedAt == nil || entry.runner == nil { _ = state.end(id) }
            }
        }
        tell()
    }

    var now: State { state.withLock { $0 } }
    var folders: Set<UploadID> { now.folders }
    func set(ahead seconds: Double) { state.withLock { $0.ahead = seconds } }
    func expire(_ upload: UploadID) { state.withLock { $0.entries[upload]?.expiresAt = Date() } }
    /// From now on does this when a gateway is asked to stop, as another gateway would.
    func whenAsked(_ happens: @escaping @Sendable (UploadID) async throws -> Void) { state.withLock { $0.whenAsked = happens } }
    /// From now on no upload is closed by ``finish(_:_:)``.
    func failToFinish(with failure: any Error) { state.withLock { $0.finishFailure = failure } }
    func cleanElsewhere(_ isElsewhere: Bool) { state.withLock { $0.isCleanedElsewhere = isElsewhere } }

    /// Tells the captures which uploads are open.
    private func tell() { for (id, entry) in now.entries { captures.set(upload: id.uuid, isOpen: entry.state == .open) } }

    func create(
        _ offer: UploadOffer, _ type: CaptureType, contentType: String, device: DeviceID, token: UploadToken, runner: UUID?
    ) async throws -> UploadCreation {
        let statuses = captures.now.captures.mapValues(\.status)
        defer { tell() }
        return try state.withLock { state in
            var open: UploadID?
            for id in state.order.reversed() {
                guard let entry = state.entries[id], entry.device == device, entry.offer.digest == offer.digest, entry.type == type,
                    entry.state != .ended, entry.isInTime
                else { continue }
                if entry.state == .open { open = open ?? id }
                if let answer = entry.answer, let status = statuses[answer.capture.captureID], [.complete, .processing].contains(status) {
                    let capture = AcceptedCapture(
                        captureID: answer.capture.captureID, type: answer.capture.type, status: status,
                        verificationURL: answer.capture.verificationURL)
                    return .recorded(try state.move(id, to: token, offer.version), UploadAnswer(isNew: false, capture: capture))
                }
            }
            if let open, let entry = state.entries[open] {
                if offer.isEmpty, !offer.isComplete, entry.offer.length == offer.length, entry.contentType == contentType {
                    return .found(try state.move(open, to: token, offer.version))
                }
                _ = state.end(open)
            }
            let others = state.entries.values.filter { $0.device == device && $0.isUsable }
            if others.count >= PostgresUploadRepository.maximumOpen, let first = others.map(\.expiresAt).min() {
                throw UploadError.tooMany(retrySeconds: Int(first.timeIntervalSinceNow.rounded(.up)))
            }
            let id = UploadID()
            state.entries[id] = Entry(
                offer: offer, type: type, contentType: contentType, device: device, token: token.digest, version: offer.version,
                epoch: runner == nil ? 0 : 1, runner: runner)
            state.order.append(id)
            state.folders.insert(id)
            guard let upload = state.upload(id) else { throw UploadError.gone }
            return .new(upload, replaced: open)
        }
    }

    func find(_ token: UploadToken) async throws -> Upload? {
        let state = now
        return state.entries.first { $0.value.token == token.digest }.flatMap { state.upload($0.key) }
    }

    func find(_ id: UploadID) async throws -> Upload? { now.upload(id) }

    func begin(_ token: UploadToken, runner: UUID) async throws -> Upload? {
        state.withLock { state in
            guard let (id, entry) = state.entries.first(where: { $0.value.token == token.digest }), entry.isUsable, entry.runner == nil
            else {
                return nil
            }
            state.entries[id]?.epoch += 1
            state.entries[id]?.runner = runner
            return state.upload(id)
        }
    }

    func claim(_ id: UploadID, runner: UUID?) async throws -> Upload? {
        state.withLock { state in
            guard state.entries[id]?.isUsable == true else { return nil }
            state.entries[id]?.epoch += 1
            state.entries[id]?.runner = runner
            return state.upload(id)
        }
    }

    func release(_ upload: Upload) async throws {
        state.withLock { state in if state.entries[upload.id]?.epoch == upload.epoch { state.entries[upload.id]?.runner = nil } }
    }

    func askToStop(_ id: UploadID) async throws {
        let happens = state.withLock { state in
            state.asked.append(id)
            return state.whenAsked
        }
        try await happens(id)
    }

    func grow(_ upload: Upload, from start: Int64, by sizeBytes: Int64, key: String) async throws -> Bool {
        try state.withLock { state in
            guard let entry = state.entries[upload.id], entry.isUsable, entry.epoch == upload.epoch, entry.offset == start,
                entry.segments.count < PostgresUploadRepository.maximumSegments(of: upload.length)
            else { return false }
            // PostgreSQL has a constraint, whose violation is nobody's refusal.
            guard start + sizeBytes <= upload.length else { throw PostgresError(code: .query, message: "uploads_check", sqlState: "23514") }
            if start + sizeBytes == upload.length {
                let time = Date()
                try ReceiptClock.compare(time.addingTimeInterval(state.ahead), with: time)
                state.entries[upload.id]?.receivedAt = time
            }
            state.entries[upload.id]?.segments.append(UploadSegment(key: key, sizeBytes: sizeBytes))
            return true
        }
    }

    func segments(of id: UploadID) async throws -> [UploadSegment] { now.entries[id]?.segments ?? [] }

    func finish(_ id: UploadID, _ answer: UploadAnswer) async throws {
        if let failure = now.finishFailure { throw failure }
        close(id, answer)
    }

    private func close(_ id: UploadID, _ answer: UploadAnswer) {
        defer { tell() }
        state.withLock { state in
            guard state.entries[id]?.state == .open else { return }
            state.entries[id]?.state = .done
            state.entries[id]?.answer = answer
            state.entries[id]?.runner = nil
            state.entries[id]?.expiresAt = Date().addingTimeInterval(Self.kept)
        }
    }

    func end(_ id: UploadID) async throws -> Bool {
        defer { tell() }
        return state.withLock { $0.end(id) }
    }

    func noteEmptied(_ id: UploadID, leavesNothing: Bool) async throws {
        state.withLock { state in
            guard let entry = state.entries[id], entry.state != .open else { return }
            state.entries[id]?.isEmptied = true
            state.entries[id]?.segments = []
            if leavesNothing { state.folders.remove(id) }
        }
    }

    func closeExpired(limit: Int) async throws -> ClosedUploads? {
        defer { tell() }
        return state.withLock { state in
            guard !state.isCleanedElsewhere else { return nil }
            let expired = state.first(limit) { $0.state == .open && !$0.isInTime }
            for id in expired {
                state.entries[id]?.end()
                state.entries[id]?.expiresAt.addTimeInterval(Self.kept)
            }
            return ClosedUploads(expired: expired.count, closed: state.first(limit) { $0.state != .open && !$0.isEmptied })
        }
    }

    func emptied(among ids: [UploadID]) async throws -> Int {
        let entries = now.entries
        return ids.count { entries[$0]?.isEmptied == true }
    }

    func forgetOld(limit: Int) async throws -> Int {
        state.withLock { state in
            let old = state.entries.filter { $0.value.state != .open && $0.value.isEmptied && !$0.value.isInTime }.prefix(limit)
            for (id, _) in old { state.entries[id] = nil }
            return old.count
        }
    }

    func open() async throws -> (uploads: Int, bytes: Int64) {
        let open = now.entries.values.filter { $0.state == .open }
        return (open.count, open.reduce(0) { $0 + $1.offset })
    }
}
