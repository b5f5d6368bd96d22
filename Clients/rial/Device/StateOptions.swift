import ArgumentParser
import ServiceRuntime

/// The file of the simulated device.
struct StateOptions: ParsableArguments {
    @Option(help: "File that holds the simulated device (default: RIAL_DEVICE_STATE, else .local/device.json).")
    var state: String?

    func file() throws -> StateFile<DeviceState> {
        StateFile(path: try state ?? ServiceEnvironment().optional("RIAL_DEVICE_STATE") ?? ".local/device.json")
    }
}
