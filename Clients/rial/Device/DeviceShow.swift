import ArgumentParser
import Foundation

struct DeviceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows the device in the state file, without its keys.")

    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let file = try stateOptions.file()
        guard let state = try file.load() else { throw CommandFailure("There is no device in \(file.url.path).") }
        Console.result(DeviceReport(state: state, file: file.url).text)
    }
}
