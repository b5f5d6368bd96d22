import ArgumentParser
import Foundation

/// The file of the simulated device.
struct StateOptions: ParsableArguments {
    @Option(help: "File that holds the simulated device (default: RIAL_DEVICE_STATE, else .local/device.json).")
    var state: String?

    var file: StateFile<DeviceState> {
        let environment = ProcessInfo.processInfo.environment["RIAL_DEVICE_STATE"].flatMap { $0.isEmpty ? nil : $0 }
        return StateFile(path: state ?? environment ?? ".local/device.json")
    }
}
