import ArgumentParser
import Foundation
import RialClient
import ServiceRuntime

/// The address of the API.
struct ServerOptions: ParsableArguments {
    @Option(help: "Address of the API (default: RIAL_PUBLIC_URL).")
    var url: String?

    /// - Throws: ``CommandFailure`` or ``SettingsError`` without a valid address.
    func client() throws -> APIClient {
        guard let url else { return APIClient(baseURL: try ServiceEnvironment().requiredURL("RIAL_PUBLIC_URL")) }
        guard let address = URL(string: url), ["http", "https"].contains(address.scheme), address.host != nil else {
            throw CommandFailure("--url must be an http or https address, not “\(url)”.")
        }
        return APIClient(baseURL: address)
    }
}
