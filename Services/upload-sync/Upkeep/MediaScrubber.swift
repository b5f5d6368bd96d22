import CaptureProtocol
import Delivery
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import ServiceLifecycle

/// The result of scrubbing one capture's media.
struct ScrubFindings: Sendable {
    struct Object: Sendable {
        let name: String
        let media: StoredMedia
        /// `nil` if the object is intact.
        let problem: MediaProblem?
    }

    /// Objects that could be read and compared.
    var objects: [Object] = []
    /// Why the others could not be read.
    var failure: ObjectStorageError?
    var bytes: Int64 { objects.reduce(0) { $0 + $1.media.sizeBytes } }
}

/// Scrub times and damaged objects.
protocol ScrubRepository: Sendable {
    /// Calls `look` with the objects of the capture whose last scrub is oldest, if that is more than `days` ago, and stores the findings.
    ///
    /// The capture counts as scrubbed from before the look, so that other instances take other captures and no row is locked meanwhile, and
    /// even if an object could not be read, so that others get their turn. If `look` or storing the findings fails, it is due again; if the
    /// process dies, not before the next interval.
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

    /// Scrubs all captures that are due; stops early at shutdown.
    /// - Throws: database errors; storage errors after ``maximumFailures`` unreadable captures in a row.
    func scrub() async throws {
        var failures = 0
        while !Task.isEnding {
            let start = ContinuousClock.now
            guard let findings = try await rows.withNext(days: days, look: { try await look($0, $1) }) else { break }
            Counter(label: "rial_media_scrubbed_bytes_total").increment(by: findings.bytes)
            if let failure = findings.failure {
                failures += 1
                logger.warning("stored media could not be read", error: failure)
                guard failures < Self.maximumFailures else { throw failure }
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

    /// Compares the objects with their digests; a storage error becomes ``ScrubFindings/failure``.
    /// - Throws: all other errors.
    private func look(_ capture: CaptureID, _ objects: [(name: String, media: StoredMedia)]) async throws -> ScrubFindings {
        var findings = ScrubFindings()
        for (name, media) in objects {
            do {
                let problem = try await problem(with: media)
                findings.objects.append(ScrubFindings.Object(name: name, media: media, problem: problem))
                guard let problem else { continue }
                logger.error(
                    "stored media are damaged",
                    metadata: ["capture_id": "\(capture)", "name": "\(name)", "key": "\(media.key)", "problem": "\(problem.rawValue)"])
            } catch let error as ObjectStorageError {
                findings.failure = error
            }
        }
        return findings
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
