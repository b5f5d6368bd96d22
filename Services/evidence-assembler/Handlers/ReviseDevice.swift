import Delivery
import Models
import Persistence

/// Revokes the captures of a device with it, or takes that back; ``RevisedDevices`` does the same without this event. A forged record finds
/// nothing to do.
struct ReviseDevice: MessageHandler {
    let revision: DeviceRevision

    func handle(_ message: DeviceRevoked, _ context: MessageContext) async throws {
        try await revision.run(message.deviceID)
        try await revision.statements.settle(context)
    }

    /// The captures stay due by their rows.
    func giveUp(_ message: DeviceRevoked, reason: FailureReason, on connection: PostgresConnection) async throws {}
}
