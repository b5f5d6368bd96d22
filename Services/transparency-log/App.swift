import Foundation
import Models
import ServiceRuntime

@main
enum App {
    static func main() async throws {
        if CommandLine.arguments.dropFirst().first == "recover" { exit(await RecoverCommand.run(ServiceEnvironment())) }
        try await ServiceMain.run(.transparencyLog, makeServiceGroup)
    }
}
