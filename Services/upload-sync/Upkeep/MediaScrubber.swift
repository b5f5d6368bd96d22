import CaptureProtocol
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import ServiceLifecycle

/// What reading one capture's media again came to.
struct ScrubFindings: Sendable {
    struct Object: Sendable {
        let name: String
        let media: StoredMedia
        /// `nil` for what is as it was.
        let problem: MediaProblem?
    }

    /// Those that could be compared.
    var objects: [Object] = []
    /// Why the others could not.
    var failure: ObjectStorageError?
    var bytes: Int64 { objects.reduce(0) { $0 + $1.media.sizeBytes } }
}

/// Which media were looked at when, and what was found. Each method is one transaction.
protocol ScrubRepository: Sendable {
    /// Gives the named objects of the capture that was not looked at for longest to `look`, if that is more than `days` ago, and keeps
    /// what that says; no other instance is given the same capture meanwhile. It counts as looked at also if something could not be read
    /// now, since others are due as well; when the process dies, it is due again.
    /// - Returns: what `look` returned; `nil` if nothing is due.
    func withNext(
        days: Int, look: @escaping @Sendable (CaptureID, [(name: String, media: StoredMedia)]) async throws -> ScrubFindings
    ) async throws -> ScrubFindings?

    /// How many objects are damaged now, and how many seconds ago what waits longest was looked at.
    func measure() async throws -> (damaged: Int64, unscrubbedSeconds: Double)
}

/// Reads stored media again from end to end and compares them with their digests: damage is found before somebody needs the bytes (SPEC §5).
///
/// The captures that were not looked at for longest come first, and not more bytes a second than it was told.
struct MediaScrubber {
    /// Captures in a row that the store does not give before it is the store that is away.
    static let maximumFailures = 3
    /// Each capture within so many days.
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

    /// Goes through what is due, or until shutdown.
    /// - Throws: database errors, and the store's once it does not give three captures in a row.
    func scrub() async throws {
        var failures = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
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
        let state = try await rows.measure()
        Meter(label: "rial_media_damaged").set(state.damaged)
        Meter(label: "rial_media_unscrubbed_seconds").set(state.unscrubbedSeconds)
    }

    /// - Throws: what is no error of the store's.
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
