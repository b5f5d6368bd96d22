import CaptureProtocol
import ServiceLifecycle

/// Looks again at the captures of devices that were revoked or restored within a day: the event may be lost, and a capture that was in hand
/// may have been completed meanwhile.
struct RevisedDevices: Sendable {
    let revision: DeviceRevision

    func look() async throws {
        for device in try await revision.statements.revisedDevices() where !Task.isShuttingDownGracefully {
            try await revision.run(device)
        }
    }
}
