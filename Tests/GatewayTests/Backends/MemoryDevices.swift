import CaptureProtocol
import Synchronization

@testable import Gateway

/// The devices in memory.
final class MemoryDevices: DeviceRepository {
    private let devices = Mutex<[DeviceID: KnownDevice]>([:])

    func add(_ device: KnownDevice) { devices.withLock { $0[device.id] = device } }

    func set(isRevoked: Bool, of device: DeviceID) {
        devices.withLock { devices in
            devices[device] = devices[device].map {
                KnownDevice(
                    id: $0.id, requestKey: $0.requestKey, attestedKey: $0.attestedKey, appID: $0.appID, isRevoked: isRevoked)
            }
        }
    }

    func find(_ id: DeviceID) async throws -> KnownDevice? { devices.withLock { $0[id] } }
}
