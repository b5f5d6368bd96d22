public import CaptureProtocol
public import Persistence

/// What the database's function `rial_withdraw` has done.
public enum Withdrawal: String, Sendable {
    case withdrawn
    case withdrawnBefore = "withdrawn_before"

    /// Withdraws a capture.
    /// - Parameter transaction: runs its argument in a transaction.
    /// - Returns: `nil` if there is no such capture.
    /// - Throws: what `transaction` throws.
    public static func of(
        _ capture: CaptureID, reason: String? = nil,
        in transaction: (@escaping PostgresConnection.Body<Withdrawal?>) async throws -> Withdrawal?
    ) async throws -> Withdrawal? {
        let withdraw: PostgresConnection.Body<Withdrawal?> = { connection in
            let row = try await connection.query("SELECT rial_withdraw(\(capture.uuid), \(reason)) AS outcome").first
            return try row?.wordIfPresent("outcome", as: Withdrawal.self)
        }
        do {
            return try await transaction(withdraw)
        } catch let error as PostgresError where error.isUniqueViolation {
            // Without their digests, withdrawn captures of a device differ by their times alone: two were withdrawn in one microsecond.
            return try await transaction(withdraw)
        }
    }
}
