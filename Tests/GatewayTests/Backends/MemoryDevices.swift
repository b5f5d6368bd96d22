import CaptureProtocol
import Synchronization

@testable import Gateway

/// The devices in memory.
final class MemoryDevices: DeviceRepository {
    private let devices = Mutex<[DeviceID: KnownDevice]>([:])

    func add(_ device: KnownDevice) { devices.withLock { $0[device.id] = device } }
    func find(_ id: DeviceID) async throws -> KnownDevice? { devices.withLock { $0[id] } }
}
