import CaptureProtocol
import Delivery
import Foundation
import Metrics
import Persistence

/// Withdraws captures by the database's function `rial_withdraw`: the gateway itself may erase nothing.
struct PostgresWithdrawalRepository: WithdrawalRepository {
    let database: PostgresPool

    func withdraw(_ capture: CaptureID, by device: DeviceID) async throws -> WithdrawalOutcome {
        let rows = try await database.query("SELECT device_id FROM captures WHERE id = \(capture.uuid)")
        guard let row = rows.first else { return .unknown }
        guard DeviceID(try row.get("device_id", as: UUID.self)) == device else { return .foreign }
        // Runs again after a deadlock with a service that has found damage of the capture.
        let outcome = try await Withdrawal.of(capture) { try await database.withTransaction($0) }
        if outcome == .withdrawn { Counter(label: "rial_captures_withdrawn_total").increment() }
        return .withdrawn
    }
}
