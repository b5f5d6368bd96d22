import CaptureProtocol
import Foundation
import Persistence

/// What names an upload's objects until a capture does (SPEC §5).
struct IntakeRepository: Sendable {
    /// Tries to learn what became of a transaction, and for how long new ones are begun.
    static let tries = 4
    static let timeout: Duration = .seconds(8)
    let database: PostgresPool

    /// Where the objects of an upload lie.
    static func prefix(_ capture: CaptureID) -> String { "captures/\(capture)/" }

    /// Before the first byte.
    func open(_ id: CaptureID, device: DeviceID) async throws {
        _ = try await database.query(
            """
            INSERT INTO intakes (id, device_id, prefix) VALUES (\(id.uuid), \(device.uuid), \(Self.prefix(id)))
            """)
    }

    /// In the transaction that records the capture: from here on its objects are the capture's.
    /// - Returns: false if the upload was given up meanwhile; nothing may then be recorded from it.
    static func take(_ id: CaptureID, on connection: PostgresConnection) async throws -> Bool {
        try await !connection.query("DELETE FROM intakes WHERE id = \(id.uuid) AND abandoned_at IS NULL RETURNING id").isEmpty
    }

    /// Leaves the upload's bytes to a capture there is, which lacks its own or may do so: `upload-sync` puts them where they are missing and
    /// announces that capture again.
    ///
    /// Waits for a clean-up of that capture that is under way (`MediaExpiry` in upload-sync).
    /// - Returns: false if the upload was given up meanwhile; nothing comes of it.
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

    /// After the objects were deleted. A row that stays is swept, and what it names.
    func forget(_ id: CaptureID) async throws {
        _ = try await database.query("DELETE FROM intakes WHERE id = \(id.uuid)")
    }

    /// What became of an upload whose recording ended in an error.
    enum Outcome: Sendable {
        /// The answer to COMMIT was lost, not what it committed.
        case recorded
        /// Nothing was recorded, nor can be: its objects may go.
        case abandoned
        /// The database does not say. Everything stays, for the sweep to ask again.
        case unknown
    }

    /// Asks on another connection. A transaction that is still under way holds the row that this one wants, so that there is no answer
    /// before its end.
    func outcome(of id: CaptureID) async -> Outcome {
        let deadline = ContinuousClock.now + Self.timeout
        for attempt in 1...Self.tries where ContinuousClock.now < deadline {
            do {
                return try await database.withTransaction { connection in
                    try await connection.query("SET LOCAL lock_timeout = '3s'")
                    // A row may also have been made since, by who sent again: the capture decides.
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
