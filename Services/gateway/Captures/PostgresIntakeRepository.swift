import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// The rows of `intakes`.
struct PostgresIntakeRepository: IntakeRepository {
    /// How often ``outcome(of:)`` asks, and until when it begins another attempt.
    static let tries = 4
    static let timeout: Duration = .seconds(8)
    let database: PostgresPool
    /// The gateway's own clock.
    var now: @Sendable () -> Date = { Date() }

    func open(_ id: CaptureID, device: DeviceID) async throws {
        let began = now()
        let opened = try await database.query(
            """
            INSERT INTO intakes (id, device_id, prefix) VALUES (\(id.uuid), \(device.uuid), \(ObjectPrefix.capture(id)))
            RETURNING now() AS opened
            """)
        // Here nothing of it is stored, and it has cost its device nothing yet.
        if let time: Date = try opened.first?.get("opened") { try ReceiptClock.compare(time, with: began) }
    }

    /// Runs in the transaction that records the capture, which then owns the objects.
    /// - Returns: false if the upload was abandoned in the meantime; nothing may then be recorded from it.
    static nonisolated(nonsending) func take(_ id: CaptureID, on connection: PostgresConnection) async throws -> Bool {
        try await !connection.query("DELETE FROM intakes WHERE id = \(id.uuid) AND abandoned_at IS NULL RETURNING id").isEmpty
    }

    /// Waits for a running clean-up of that capture (`MediaExpiry` in upload-sync).
    func leave(_ id: CaptureID, to known: CaptureID) async throws -> Bool {
        try await database.withTransaction { connection in
            try await connection.lock(capture: known)
            return try await !connection.query(
                """
                UPDATE intakes SET brings = \(known.uuid) WHERE id = \(id.uuid) AND abandoned_at IS NULL RETURNING id
                """
            ).isEmpty
        }
    }

    func forget(_ id: CaptureID) async throws {
        _ = try await database.query("DELETE FROM intakes WHERE id = \(id.uuid)")
    }

    /// Asks on another connection. A transaction that is still running holds a lock on the row, so this waits until it ends.
    func outcome(of id: CaptureID) async -> RecordingOutcome {
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
