import CaptureProtocol
import Foundation
import Logging
import Metrics
import Multipart
import NIOCore
import ObjectStorage
import Observability

/// An upload after a request has added to it.
struct ReceivedUpload: Sendable {
    let upload: Upload
    /// Whether the store left a request to put a segment without an answer.
    let isUnanswered: Bool
    /// The stored segments of a photo that are still in memory, by their keys (``SegmentWriter/held``).
    let held: [String: ByteBuffer]
}

/// Continues, completes and cancels uploads.
struct ResumableUploads: Sendable {
    /// How long a running request may take to store what it has received, before another request takes the upload from it.
    static let timeout: Duration = .milliseconds(1500)
    static let pollInterval: Duration = .milliseconds(25)
    /// How long a request may take from its arrival until it has the upload.
    static let arrival: Duration = .milliseconds(75)

    let uploads: any UploadRepository
    let runs: UploadRuns
    let storage: any ObjectStore
    let devices: any DeviceRepository
    let acceptance: CaptureAcceptance

    /// Creates an upload, or finds the device's upload of the same body. An open one is taken from the request that has it.
    /// - Throws: ``UploadError/tooMany(retrySeconds:)``, ``UploadError/gone``.
    func create(
        _ offer: UploadOffer, _ type: CaptureType, contentType: String, device: DeviceID, token: UploadToken
    ) async throws -> UploadCreation {
        let creation = try await uploads.create(
            offer, type, contentType: contentType, device: device, token: token, runner: offer.isEmpty ? nil : runs.instance)
        guard case .found(let upload) = creation else { return creation }
        do {
            return .found(try await claim(upload, adding: false))
        } catch UploadError.completed {
            // The request that was still running has completed it.
            guard let done = try await uploads.find(upload.id), let answer = done.answer else { throw UploadError.gone }
            return .recorded(done, UploadAnswer(isNew: false, capture: answer.capture))
        }
    }

    /// Finds the upload at an address.
    /// - Throws: ``UploadError/unknown``, ``UploadError/gone``.
    func find(_ token: String) async throws -> Upload {
        guard let token = UploadToken(token), let upload = try await uploads.find(token) else { throw UploadError.unknown }
        if upload.state == .ended || upload.expiresAt <= Date() { throw UploadError.gone }
        return upload
    }

    /// Gives the upload at an address to a request that adds to it; only one request has an upload at a time. If no other request has it,
    /// this is a single statement: a client that reconnects at once, to another gateway, must find that this request has begun.
    /// - Throws: as ``find(_:)`` and ``claim(_:adding:)``.
    func begin(_ token: String) async throws -> Upload {
        if let token = UploadToken(token), let begun = try await uploads.begin(token, runner: runs.instance) { return begun }
        let upload = try await find(token)
        if let answer = upload.answer { throw UploadError.completed(answer.capture.captureID) }
        return try await claim(upload, adding: true)
    }

    /// Gives the upload to the caller's request, after a request that still has it was given time to store what it has received.
    /// - Throws: ``UploadError/completed(_:)``, ``UploadError/gone``.
    func claim(_ upload: Upload, adding: Bool) async throws -> Upload {
        var upload = upload
        if !adding, upload.runner == nil {
            // The client's earlier request may have arrived and not yet taken the upload.
            try await Task.sleep(for: Self.arrival)
            upload = try await uploads.find(upload.id) ?? upload
        }
        try await awaitEnd(of: upload)
        if let claimed = try await uploads.claim(upload.id, runner: adding ? runs.instance : nil) { return claimed }
        if let answer = try await uploads.find(upload.id)?.answer { throw UploadError.completed(answer.capture.captureID) }
        throw UploadError.gone
    }

    private func awaitEnd(of upload: Upload) async throws {
        guard let runner = upload.runner, upload.state == .open else { return }
        let start = ContinuousClock.now
        var asked: ContinuousClock.Instant?
        while start.duration(to: .now) < Self.timeout {
            if !runs.stop(upload.id) {
                // This instance has the upload, but no running request: one ended without giving it back, or has only just begun.
                if runner == runs.instance, start.duration(to: .now) > Self.arrival { return }
                if runner != runs.instance, asked.map({ $0.duration(to: .now) > Self.arrival * 4 }) ?? true {
                    asked = .now
                    try await uploads.askToStop(upload.id)
                }
            }
            try await Task.sleep(for: Self.pollInterval)
            guard let now = try await uploads.find(upload.id), now.state == .open, now.runner == runner, now.epoch == upload.epoch else {
                return
            }
        }
    }

    /// Stores what a request adds, up to where it ends or breaks off.
    /// - Parameters:
    ///   - upload: as the request claimed it, held by `holder`.
    ///   - length: of the content; `nil` if unknown.
    ///   - abort: ends the content with an error.
    /// - Returns: the upload as it is then; it still belongs to the request.
    /// - Throws: ``UploadError``, storage and database errors. The upload then belongs to nobody, or has ended.
    func receive(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, length: Int64?, into upload: Upload,
        _ holder: UploadRuns.Holder, abort: @escaping @Sendable () -> Void
    ) async throws -> ReceivedUpload {
        let writer = SegmentWriter(upload, uploads: uploads, storage: storage)
        do {
            try await holder.adding(by: writer, abort: abort) {
                try await Self.read(body, length: length, into: writer, from: upload.offset)
            }
            guard let now = try await uploads.find(upload.id) else { throw UploadError.unknown }
            if let answer = now.answer { throw UploadError.completed(answer.capture.captureID) }
            guard now.state == .open else { throw UploadError.gone }
            guard now.epoch == upload.epoch else { throw UploadError.offsetMismatch(expected: now.offset, provided: nil) }
            return await ReceivedUpload(upload: now, isUnanswered: writer.isUnanswered, held: writer.held)
        } catch {
            switch error {
            // More than was announced, or more pieces than there may be.
            case UploadError.inconsistentLength, UploadError.gone: await cancel(upload)
            default: await release(upload)
            }
            guard let error = error as? UploadError, case .offsetMismatch = error else { throw error }
            let now = try await uploads.find(upload.id)
            if let answer = now?.answer { throw UploadError.completed(answer.capture.captureID) }
            // It may have been stopped because the upload was cancelled.
            if now?.state == .ended { throw UploadError.gone }
            throw UploadError.offsetMismatch(expected: now?.offset ?? upload.offset, provided: nil)
        }
    }

    private static func read(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, length: Int64?, into writer: SegmentWriter, from offset: Int64
    ) async throws {
        var failure: (any Error)?
        do {
            for try await bytes in body {
                do {
                    try await writer.take(bytes)
                } catch {
                    failure = error
                    break
                }
            }
            if failure == nil, let length, await writer.taken - offset < length { failure = UploadError.interrupted }
        } catch is BodyStop {
            failure = UploadError.offsetMismatch(expected: offset, provided: nil)
        } catch let error as BodyPace.Failure {
            failure = error
        } catch {
            failure = UploadError.interrupted
        }
        // What came before the end counts, whatever ended it.
        try await writer.finish()
        if let failure { throw failure }
    }

    /// Makes a capture of an upload whose body has ended.
    /// - Parameters:
    ///   - received: the upload as the request left it; it still belongs to the request.
    ///   - begun: when the gateway saw the head of the request.
    /// - Returns: the answer, also if another request was faster.
    /// - Throws: ``UploadError/inconsistentLength`` without all bytes, as ``CaptureAcceptance``, and ``UploadError/digestMismatch``. The
    ///   upload has then ended, unless the failure is the server's or a limit was reached.
    func complete(
        _ received: ReceivedUpload, begun: ContinuousClock.Instant, from address: ClientAddress, publicURL: String, logger: Logger
    ) async throws -> (UploadAnswer, RateAllowance?) {
        let upload = received.upload
        guard upload.isFull else {
            await release(upload)
            throw UploadError.inconsistentLength
        }
        do {
            let recorded = try await accept(received, begun, from: address, publicURL: publicURL, logger: logger)
            FailPoint.reached("gateway.upload.recorded")
            let answer = UploadAnswer(isNew: recorded.isNew, capture: AcceptedCapture(recorded, publicURL: publicURL))
            // A new capture has closed it.
            if !recorded.isNew { try await uploads.finish(upload.id, answer) }
            // If the first request that added to it stored all of it, each segment has its row; none comes after its deletion if the store
            // answered each time.
            let leavesNothing = upload.epoch == 1 && !received.isUnanswered
            // Nobody waits for it; what the request holds is not held for so long.
            Task { await empty(upload.id, leavesNothing: leavesNothing) }
            return (answer, recorded.allowance)
        } catch {
            let now = try? await uploads.find(upload.id)
            // A request that was overtaken may have been the faster one.
            if let answer = now?.answer { return (answer, nil) }
            // Cancelled, expired or withdrawn meanwhile: whatever was missing then says nothing about the body.
            if now?.state == .ended { throw UploadError.gone }
            if Self.isFinal(error) { await cancel(upload) } else { await release(upload) }
            throw Self.isDamage(error) ? UploadError.digestMismatch : error
        }
    }

    private func accept(
        _ received: ReceivedUpload, _ begun: ContinuousClock.Instant, from address: ClientAddress, publicURL: String, logger: Logger
    ) async throws -> RecordedCapture {
        let upload = received.upload
        guard let device = try await devices.find(upload.device) else { throw AuthenticationError.unknownDevice }
        guard !device.isRevoked else { throw AuthenticationError.revokedDevice }
        async let segments = uploads.segments(of: upload.id)
        // Before they are read and stored once more.
        try await acceptance.rates.peek(upload.type, of: device, from: address)
        let body = SegmentedBody(segments: try await segments, storage: storage, held: received.held)
        let condition = RecordingCondition(openUpload: upload.id.uuid, refusal: UploadError.gone) { id in
            let capture = RecordedCapture(id, upload.type, .new, nil)
            return UploadAnswer(isNew: true, capture: AcceptedCapture(capture, publicURL: publicURL))
        }
        var isCompared = false
        do {
            let incoming = IncomingBody(
                type: upload.type, boundary: try MultipartBoundary(contentType: upload.contentType), begun: begun,
                declaredBytes: Int(clamping: upload.length), receivedAt: upload.receivedAt, condition: condition, logger: logger)
            return try await acceptance.accept(body, incoming, from: device, at: address) { digest in
                isCompared = true
                guard digest == upload.digest else { throw UploadError.digestMismatch }
            }
        } catch {
            guard !isCompared, error is MultipartError || error is CaptureError else { throw error }
            // Damage is not the client's mistake, wherever it shows first.
            guard try await body.digest() == upload.digest else { throw UploadError.digestMismatch }
            throw error
        }
    }

    /// Whether the same bytes can never become a capture.
    private static func isFinal(_ error: any Error) -> Bool {
        switch error {
        case CaptureError.intakeExpired, CaptureError.beingRecorded, CaptureError.withdrawnMeanwhile, CaptureError.clocksDiffer: false
        case is CaptureError, is MultipartError, is AuthenticationError, is UploadError: true
        default: isDamage(error)
        }
    }

    /// Whether a stored segment is not there, or not what was stored.
    private static func isDamage(_ error: any Error) -> Bool { (error as? ObjectStorageError).map { !$0.isTransient } ?? false }

    /// Ends an upload for its client, and deletes what was stored of it.
    /// - Throws: ``UploadError/completed(_:)``, ``UploadError/gone``, and database errors: it is then as it was.
    func end(_ upload: Upload) async throws {
        guard try await uploads.end(upload.id) else {
            throw try await uploads.find(upload.id)?.answer.map { UploadError.completed($0.capture.captureID) } ?? .gone
        }
        await discard(upload.id)
    }

    /// Ends an upload and deletes what was stored of it. What fails is left to the sweep.
    func cancel(_ upload: Upload) async {
        // A client that goes away does not keep it open, hence a task of its own.
        await Task {
            if (try? await uploads.end(upload.id)) == true { await discard(upload.id) }
        }.value
    }

    /// Deletes what was stored of an upload that has ended, and stops requests that still add to it.
    func discard(_ id: UploadID) async {
        await Task {
            if !runs.stop(id) { try? await uploads.askToStop(id) }
            await empty(id, leavesNothing: false)
        }.value
    }

    /// Gives the upload back, so that another request gets it without waiting.
    func release(_ upload: Upload) async {
        await Task { _ = try? await uploads.release(upload) }.value
    }

    private static var cleanupsFailed: Counter { Counter(label: "rial_cleanups_failed_total", dimensions: [("task", "upload segments")]) }

    /// Shows the counter before there is anything to count, so that the first time is an increase.
    static func showCounters() { cleanupsFailed.increment(by: 0) }

    /// Deletes the segments of a closed upload. What fails here is left to the sweep.
    func empty(_ id: UploadID, leavesNothing: Bool) async {
        do {
            try await storage.delete(try await uploads.segments(of: id).map(\.key))
            FailPoint.reached("gateway.upload.emptied")
            try await uploads.noteEmptied(id, leavesNothing: leavesNothing)
        } catch {
            Self.cleanupsFailed.increment()
        }
    }
}
