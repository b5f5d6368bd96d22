import CaptureProtocol
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
        let outcome: String?
        do {
            outcome = try await withdraw(capture)
        } catch let error as PostgresError where error.isUniqueViolation {
            // Without their digests, withdrawn captures of a device differ by their times alone: two were withdrawn in one microsecond.
            outcome = try await withdraw(capture)
        }
        if outcome == "withdrawn" { Counter(label: "rial_captures_withdrawn_total").increment() }
        return .withdrawn
    }

    private func withdraw(_ capture: CaptureID) async throws -> String? {
        // Runs again after a deadlock with a service that has found damage of the capture.
        let rows = try await database.withTransaction { connection in
            try await connection.query("SELECT rial_withdraw(\(capture.uuid)) AS outcome")
        }
        return try rows.first?.get("outcome")
    }
}
