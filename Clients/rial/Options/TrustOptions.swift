import ArgumentParser
import CaptureKit
import Foundation
import RialClient

/// Which server is the right one.
struct TrustOptions: ParsableArguments {
    @Option(
        help: """
            SHA-256 of the server's public key (SubjectPublicKeyInfo), hex or base64; may be repeated for the next key. Without it any \
            server with a trusted certificate will do.
            """)
    var pin: [String] = []
    @Option(help: "PEM file of certificates that may vouch for the server, beside those of the system.")
    var ca: String?

    /// - Throws: ``CommandFailure``; ``PinError``; `ServerAddressError`; an error of NIOSSL if the file holds no certificates.
    func transport(to address: URL, _ timeouts: AsyncHTTPTransport.Timeouts) throws -> AsyncHTTPTransport {
        guard pin.isEmpty || address.scheme == "https" else { throw CommandFailure("--pin needs an https address, not \(address).") }
        let pins = try PinSet(texts: pin)
        return try AsyncHTTPTransport(
            baseURL: address, trust: ServerTrust(pins: pins, isDevelopment: pins.isEmpty), extraRootsPEM: try roots(),
            timeouts: timeouts)
    }

    private func roots() throws -> [UInt8] {
        guard let ca else { return [] }
        guard let data = FileManager.default.contents(atPath: ca) else { throw CommandFailure("The certificates \(ca) cannot be read.") }
        return Array(data)
    }
}
