import CaptureProtocol
import Delivery
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import ServiceLifecycle
import Synchronization

/// The result of scrubbing one capture's media.
struct ScrubFindings: Sendable {
    struct Object: Sendable {
        let name: String
        let media: StoredMedia
        /// `nil` if the object is intact.
        let problem: MediaProblem?
    }

    /// Objects that could be read and compared, and those that the store does not give though it gives others.
    var objects: [Object] = []
    /// Why the others could not be read.
    var failure: ObjectStorageError?
    /// Whether some objects were not compared.
    var isIncomplete: Bool { failure != nil || objects.contains { $0.problem == .unreadable } }
    /// Whether the capture is to be looked at again soon: some objects were not compared, or are damaged until somebody mends them.
    var isDueAgainSoon: Bool { failure != nil || objects.contains { $0.problem != nil } }
    var bytes: Int64 { objects.reduce(0) { $0 + $1.media.sizeBytes } }
}

/// Scrub times and damaged objects.
protocol ScrubRepository: Sendable {
    /// Calls `look` with the objects of the capture whose last scrub is oldest, if that is more than `days` ago, and stores the findings.
    ///
    /// The capture counts as scrubbed from before the look, so that other instances take other captures and no row is locked meanwhile. If
    /// the findings are incomplete or show damage, it is due again in an hour, after all that are due for longer: however many stay
    /// damaged, the others wait at most until each of those was read once. If `look` or storing the findings fails, it is due at once; if
    /// the process dies, not before the next interval.
    /// - Returns: the findings; `nil` if nothing is due.
    /// - Throws: what `look` throws, and database errors.
    func withNext(
        days: Int, look: @escaping @Sendable (CaptureID, [(name: String, media: StoredMedia)]) async throws -> ScrubFindings
    ) async throws -> ScrubFindings?

    /// The number of damaged objects, and the seconds since the oldest last scrub.
    func measure() async throws -> (damaged: Int64, unscrubbedSeconds: Double)
}

/// Reads stored media again and compares them with their digests, to find damage before the bytes are needed (SPEC §5).
///
/// Captures with the oldest last scrub come first; the read rate is bounded by ``bytesPerSecond``.
struct MediaScrubber {
    /// After this many unreadable captures in a row the store counts as down.
    static let maximumFailures = 3
    /// The scrub interval in days.
    let days: Int
    let bytesPerSecond: Int
    let rows: any ScrubRepository
    let storage: any ObjectStore
    let clock: any Clock<Duration>
    let logger: Logger
    private let lastRead = LastRead()

    init(
        days: Int, bytesPerSecond: Int, rows: any ScrubRepository, storage: any ObjectStore,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger
    ) {
        self.days = days
        self.bytesPerSecond = bytesPerSecond
        self.rows = rows
        self.storage = storage
        self.clock = clock
        self.logger = logger
    }

    /// Scrubs all captures that are due; stops early at shutdown, and after ``maximumFailures`` captures in a row that could not be
    /// compared as a whole: the store may be at its limit. Their next turn is in an hour, so that the next call goes on with others.
    /// - Throws: database errors; storage errors if the store gave nothing.
    func scrub() async throws {
        var failures = 0
        while !Task.isEnding {
            let start = ContinuousClock.now
            guard let findings = try await rows.withNext(days: days, look: { try await look($0, $1) }) else { break }
            Counter(label: "rial_media_scrubbed_bytes_total").increment(by: findings.bytes)
            if findings.isIncomplete {
                failures += 1
                guard failures < Self.maximumFailures else {
                    if let failure = findings.failure { throw failure }
                    return
                }
            } else {
                failures = 0
            }
            let pause = Duration.seconds(Double(findings.bytes) / Double(bytesPerSecond)) - start.duration(to: .now)
            if pause > .zero { await cancelWhenGracefulShutdown { try? await clock.sleep(for: pause) } }
        }
    }

    /// Shows how much is damaged and how far behind scrubbing is.
    func measure() async throws {
        let state = try await rows.measure()
        Meter(label: "rial_media_damaged").set(state.damaged)
        Meter(label: "rial_media_unscrubbed_seconds").set(state.unscrubbedSeconds)
    }

    /// Compares the objects with their digests. One that cannot be read twice is `unreadable` if the store gives another one after that; if
    /// it gives none, the store may be away, and the error becomes ``ScrubFindings/failure``.
    /// - Throws: all other errors.
    private func look(_ capture: CaptureID, _ objects: [(name: String, media: StoredMedia)]) async throws -> ScrubFindings {
        var findings = ScrubFindings()
        var unread = try await compare(objects, of: capture, &findings)
        guard !unread.isEmpty else { return findings }
        var isAnswering = await givesAnother()
        // Of a store that is away nothing is asked twice.
        if isAnswering {
            unread = try await compare(unread.map { $0.object }, of: capture, &findings)
            isAnswering = await givesAnother()
        }
        for (object, error) in unread {
            if isAnswering {
                note(object, of: capture, .unreadable, &findings, error)
            } else {
                findings.failure = error
                logger.warning("stored media could not be read", error: error, metadata: metadata(object, of: capture))
            }
        }
        return findings
    }

    /// - Returns: the objects that could not be read, and why.
    /// - Throws: errors that are not the store's.
    private func compare(
        _ objects: [(name: String, media: StoredMedia)], of capture: CaptureID, _ findings: inout ScrubFindings
    ) async throws -> [(object: (name: String, media: StoredMedia), error: ObjectStorageError)] {
        var unread: [(object: (name: String, media: StoredMedia), error: ObjectStorageError)] = []
        for object in objects {
            do {
                let problem = try await problem(with: object.media)
                if problem == nil { lastRead.media.withLock { $0 = object.media } }
                note(object, of: capture, problem, &findings)
            } catch let error as ObjectStorageError {
                unread.append((object, error))
            }
        }
        return unread
    }

    private func note(
        _ object: (name: String, media: StoredMedia), of capture: CaptureID, _ problem: MediaProblem?, _ findings: inout ScrubFindings,
        _ error: ObjectStorageError? = nil
    ) {
        findings.objects.append(ScrubFindings.Object(name: object.name, media: object.media, problem: problem))
        guard let problem else { return }
        var details = metadata(object, of: capture)
        details["problem"] = "\(problem.rawValue)"
        logger.error("stored media are damaged", error: error, metadata: details)
    }

    private func metadata(_ object: (name: String, media: StoredMedia), of capture: CaptureID) -> Logger.Metadata {
        ["capture_id": "\(capture)", "name": "\(object.name)", "key": "\(object.media.key)"]
    }

    /// Whether the store gives the object that it gave last.
    private func givesAnother() async -> Bool {
        guard let media = lastRead.media.withLock({ $0 }), media.sizeBytes > 0 else { return false }
        return (try? await storage.piece(0..<1, of: media)) != nil
    }

    private func problem(with object: StoredMedia) async throws -> MediaProblem? {
        do {
            _ = try await storage.digest(ofAll: [object])
            return nil
        } catch let error as ObjectStorageError {
            switch error.code {
            case .notFound: return .missing
            case .digestMismatch, .tooLarge: return .digestMismatch
            default: throw error
            }
        }
    }
}

/// The object that was read last by any scrub.
private final class LastRead: Sendable {
    let media = Mutex<StoredMedia?>(nil)
}
