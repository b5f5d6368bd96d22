import CaptureProtocol
import Foundation
import Persistence

/// What an operator did to a device.
enum DeviceAction: String, Codable, Sendable { case revoked, restored }

/// One use of an operator's route, as it is kept.
struct DeviceEvent: Codable, Sendable, Equatable {
    let action: DeviceAction
    let at: Date
    /// As the operator's tool names itself; not proved.
    let by: String
    let reason: String?
}

/// `device_events`: every change that an operator asked for, never changed or deleted.
struct DeviceEventRepository {
    /// The latest are shown.
    static let maximumEvents = 1000
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func append(_ action: DeviceAction, _ id: DeviceID, _ note: OperatorNote) async throws {
        try await connection.query(
            """
            INSERT INTO device_events (device_id, action, by, reason)
            VALUES (\(id.uuid), \(action.rawValue), \(note.by), \(note.reason))
            """)
    }

    /// Latest first; `nil` if there is no such device.
    func events(of id: DeviceID) async throws -> [DeviceEvent]? {
        guard try await !connection.query("SELECT id FROM devices WHERE id = \(id.uuid)").isEmpty else { return nil }
        let rows = try await connection.query(
            """
            SELECT action, at, by, reason FROM device_events WHERE device_id = \(id.uuid) ORDER BY id DESC LIMIT \(Self.maximumEvents)
            """)
        return try rows.compactMap { row in
            guard let action = DeviceAction(rawValue: try row.get("action")) else { return nil }
            return DeviceEvent(action: action, at: try row.get("at"), by: try row.get("by"), reason: try row.getOptional("reason"))
        }
    }
}
