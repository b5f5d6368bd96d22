import CaptureProtocol
import Foundation
import Models
import Persistence

/// The rows in `captures`, as commands of the operator read them.
struct CaptureRows {
    let connection: PostgresConnection

    /// The word in the capture's row, which may be one of a later version.
    /// - Throws: ``CommandFailure`` if there is no such capture.
    func status(of capture: CaptureID) async throws -> String {
        let rows = try await connection.query("SELECT status FROM captures WHERE id = \(capture.uuid)")
        guard let status = try rows.first?.get("status", as: String.self) else { throw CommandFailure("There is no capture \(capture).") }
        return status
    }

    /// The capture's status, and its announcement.
    /// - Throws: ``CommandFailure`` if there is no such capture, or this version does not know what its row says.
    func arrival(of capture: CaptureID) async throws -> (CaptureStatus, any CaptureArrival) {
        let rows = try await connection.query("SELECT status, type, capture_mode FROM captures WHERE id = \(capture.uuid)")
        guard let row = rows.first else { throw CommandFailure("There is no capture \(capture).") }
        guard let status = CaptureStatus(rawValue: try row.get("status")) else {
            throw CommandFailure("The capture \(capture) has a status that this version does not know.")
        }
        guard let kind = CaptureKind(type: try row.get("type"), mode: try row.get("capture_mode")) else {
            throw CommandFailure("The capture \(capture) is of a kind that this version does not know.")
        }
        return (status, kind.arrival(of: capture))
    }
}
