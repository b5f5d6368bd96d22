import ArgumentParser
import AsyncHTTPClient
import Foundation
import Models
import Pipeline
import RialClient

struct DeviceRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes a device: its requests are refused from now on.",
        discussion: "For operators: it talks to the admin port of attestation-verifier.")

    @Argument(help: "The device's id.")
    var id: DeviceID

    @Option(help: "The admin address of attestation-verifier (default: RIAL_ADMIN_ATTESTATION_VERIFIER).")
    var admin: String?

    func run() async throws {
        var base = try admin ?? ServiceEnvironment().requiredURL("RIAL_ADMIN_ATTESTATION_VERIFIER").absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        var request = HTTPClientRequest(url: "\(base)/devices/\(id)/revoke")
        request.method = .POST
        let response: HTTPClientResponse
        do {
            response = try await Connections.shared.execute(request, timeout: .seconds(15))
        } catch {
            throw CommandFailure("The admin port \(base) could not be reached: \(error)")
        }
        switch response.status {
        case .ok: Console.result("device \(id) is revoked")
        case .notFound: throw CommandFailure("There is no device \(id).")
        default: throw CommandFailure("The admin port answered \(response.status.code) \(response.status.reasonPhrase).")
        }
    }
}
