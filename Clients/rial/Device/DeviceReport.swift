import CaptureProtocol
import Foundation
import SimulatedDevice

/// A device as human-readable text, without its keys.
struct DeviceReport {
    let state: DeviceState
    let file: URL

    var text: String {
        var table = TextTable()
        table.add("device", state.deviceID.description)
        table.add("level", state.attestationLevel.rawValue)
        if let failure = state.attestationFailure { table.add("failure", failure) }
        table.add("model", state.device.model)
        table.add("LiDAR", state.hasLiDAR ? "yes" : "no")
        table.add("state", file.path)
        return table.text
    }
}
