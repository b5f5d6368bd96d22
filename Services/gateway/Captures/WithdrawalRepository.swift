import CaptureProtocol
import Foundation
import Metrics
import Persistence

/// Withdraws captures for their owners, by the database's function `rial_withdraw`: the gateway itself may erase nothing.
struct WithdrawalRepository: Sendable {
    let database: PostgresPool

    enum Outcome: Sendable {
        /// It is withdrawn, now or by an earlier request.
        case withdrawn
        /// Another device sent it.
        case foreign
        case unknown
    }

    /// In one transaction erases what is known of the capture and announces it.
    func withdraw(_ capture: CaptureID, by device: DeviceID) async throws -> Outcome {
        let rows = try await database.query("SELECT device_id FROM captures WHERE id = \(capture.uuid)")
        guard let row = rows.first else { return .unknown }
        guard DeviceID(try row.get("device_id", as: UUID.self)) == device else { return .foreign }
        // Runs again after a deadlock with a service that has found damage of the capture.
        let outcome = try await database.withTransaction { connection in
            try await connection.query("SELECT rial_withdraw(\(capture.uuid)) AS outcome")
        }
        if try outcome.first?.get("outcome", as: String.self) == "withdrawn" {
            Counter(label: "rial_captures_withdrawn_total").increment()
        }
        return .withdrawn
    }
}
