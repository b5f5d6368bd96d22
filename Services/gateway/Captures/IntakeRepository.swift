import CaptureProtocol
import Foundation
import Persistence

/// The rows that name an upload's objects until its capture does (SPEC §5).
struct IntakeRepository: Sendable {
    /// How often ``outcome(of:)`` asks, and until when it begins another attempt.
    static let tries = 4
    static let timeout: Duration = .seconds(8)
    let database: PostgresPool

    /// The key prefix of an upload's objects.
    static func prefix(_ capture: CaptureID) -> String { "captures/\(capture)/" }

    /// Call it before the first byte is stored.
    func open(_ id: CaptureID, device: DeviceID) async throws {
        _ = try await database.query(
            """
            INSERT INTO intakes (id, device_id, prefix) VALUES (\(id.uuid), \(device.uuid), \(Self.prefix(id)))
            """)
    }

    /// Runs in the transaction that records the capture, which then owns the objects.
    /// - Returns: false if the upload was abandoned in the meantime; nothing may then be recorded from it.
    static nonisolated(nonsending) func take(_ id: CaptureID, on connection: PostgresConnection) async throws -> Bool {
        try await !connection.query("DELETE FROM intakes WHERE id = \(id.uuid) AND abandoned_at IS NULL RETURNING id").isEmpty
    }

    /// Assigns the upload's objects to an existing capture whose own may be missing: `upload-sync` copies them where they are missing and
    /// announces that capture again.
    ///
    /// Waits for a running clean-up of that capture (`MediaExpiry` in upload-sync).
    /// - Returns: false if the upload was abandoned in the meantime; it then has no effect.
    func leave(_ id: CaptureID, to known: CaptureID) async throws -> Bool {
        try await database.withTransaction { connection in
            try await connection.query("SELECT pg_advisory_xact_lock(hashtextextended(\(known.description), 0))")
            return try await !connection.query(
                """
                UPDATE intakes SET brings = \(known.uuid) WHERE id = \(id.uuid) AND abandoned_at IS NULL RETURNING id
                """
            ).isEmpty
        }
    }

    /// Call it after deleting the objects. A remaining row and its objects are swept later.
    func forget(_ id: CaptureID) async throws {
        _ = try await database.query("DELETE FROM intakes WHERE id = \(id.uuid)")
    }

    /// The state of an upload whose recording ended in an error.
    enum Outcome: CaseIterable, Sendable {
        /// The transaction was committed; only the response to COMMIT was lost.
        case recorded
        /// Nothing was recorded and nothing can be: its objects may be deleted.
        case abandoned
        /// The database cannot tell. Everything is kept, and the sweep decides later.
        case unknown
    }

    /// Asks on another connection. A transaction that is still running holds a lock on the row, so this waits until it ends.
    func outcome(of id: CaptureID) async -> Outcome {
        let deadline = ContinuousClock.now + Self.timeout
        for attempt in 1...Self.tries where ContinuousClock.now < deadline {
            do {
                return try await database.withTransaction { connection in
                    try await connection.query("SET LOCAL lock_timeout = '3s'")
                    // The intake row alone does not decide, since a repeated request may have inserted it again in the meantime: the
                    // capture does.
                    let marked = try await connection.query(
                        """
                        UPDATE intakes SET abandoned_at = now() WHERE id = \(id.uuid)
                            AND NOT EXISTS (SELECT FROM captures WHERE captures.id = \(id.uuid)) RETURNING id
                        """)
                    if !marked.isEmpty { return .abandoned }
                    return try await connection.query("SELECT id FROM captures WHERE id = \(id.uuid)").isEmpty ? .unknown : .recorded
                }
            } catch {
                if Task.isCancelled { return .unknown }
                if attempt < Self.tries { try? await Task.sleep(for: .milliseconds(250 << attempt)) }
            }
        }
        return .unknown
    }
}
