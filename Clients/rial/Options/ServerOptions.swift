import ArgumentParser
import Foundation
import RialClient
import ServiceRuntime

/// The address of the API.
struct ServerOptions: ParsableArguments {
    @Option(help: "Address of the API (default: RIAL_PUBLIC_URL).")
    var url: String?

    /// - Throws: ``CommandFailure`` or ``SettingsError`` without a valid address.
    func client() throws -> APIClient { APIClient(baseURL: try address()) }

    /// - Throws: as ``client()``.
    func address() throws -> URL {
        guard let url else { return try ServiceEnvironment().requiredURL("RIAL_PUBLIC_URL") }
        guard let address = URL(string: url), ["http", "https"].contains(address.scheme), address.host != nil else {
            throw CommandFailure("--url must be an http or https address, not “\(url)”.")
        }
        return address
    }
}
