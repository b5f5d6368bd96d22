import CaptureProtocol
import Delivery
import Models
import Persistence

/// Revokes a device's captures after the device was revoked, or restores them after it was restored. ``RevisedDevices`` finds such devices
/// without this event, too; the event only makes it happen at once. The database decides what is due, so a forged record has no effect.
struct ReviseDevice: MessageHandler {
    let revision: DeviceRevision

    func handle(_ message: DeviceRevoked, _ context: MessageContext) async throws {
        try await revision.run(message.deviceID)
        try await revision.statements.settle(context)
    }

    /// The captures stay due by their rows.
    func giveUp(_ message: DeviceRevoked, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
