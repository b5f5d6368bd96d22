import CaptureProtocol
import Delivery
import Foundation
import Persistence

/// Withdrawals on demand, with the owner's rights.
struct PostgresWithdrawals {
    let url: String

    /// Withdraws a capture; for one that was withdrawn before, upload-sync looks for objects once more.
    /// - Returns: `nil` if there is no such capture.
    func withdraw(_ capture: CaptureID, reason: String) async throws -> Withdrawal? {
        try await PostgresConnection.administering(url) { connection in
            let outcome = try await Withdrawal.of(capture, reason: reason) { try await connection.withTransaction($0) }
            if outcome == .withdrawnBefore {
                try await connection.query(
                    "UPDATE withdrawals SET erased_at = NULL, erase_next_at = now() WHERE capture_id = \(capture.uuid)")
            }
            return outcome
        }
    }
}
