import ArgumentParser
import AsyncHTTPClient
import CaptureProtocol
import Foundation
import Models
import NIOCore
import NIOHTTP1
import RialClient
import ServiceRuntime

/// The operators' routes on the admin port of attestation-verifier.
struct AdminPort: ParsableArguments {
    static let discussion = "For operators: uses the admin port of attestation-verifier, with the token in RIAL_ADMIN_TOKEN."

    @Option(help: "The admin address of attestation-verifier (default: RIAL_ADMIN_ATTESTATION_VERIFIER).")
    var admin: String?

    /// Sends a request with the token in RIAL_ADMIN_TOKEN.
    /// - Returns: the body of the response.
    /// - Throws: ``CommandFailure`` unless its status is 200.
    @discardableResult
    func send(_ method: String, _ path: String, body: [String: String] = [:], of device: DeviceID) async throws -> [UInt8] {
        let environment = ServiceEnvironment()
        var base = try admin ?? environment.requiredURL("RIAL_ADMIN_ATTESTATION_VERIFIER").absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        var request = HTTPClientRequest(url: "\(base)/devices/\(device)/\(path)")
        request.method = .init(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(try environment.required("RIAL_ADMIN_TOKEN"))")
        if !body.isEmpty {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(try WireJSON.encode(body))
        }
        let status: Int
        let content: [UInt8]
        do {
            let response = try await Connections.shared.execute(request, timeout: .seconds(15))
            status = Int(response.status.code)
            content = Array(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        } catch {
            throw CommandFailure("The admin port \(base) could not be reached: \(error)")
        }
        switch status {
        case 200: return content
        case 401: throw CommandFailure("The admin port does not accept this RIAL_ADMIN_TOKEN.")
        case 404: throw CommandFailure("There is no device \(device).")
        default:
            let reason = (try? JSONValue(parsing: content))?["status"]?.string ?? "no reason"
            throw CommandFailure("The admin port responded with \(status) (\(TextTable.printable(reason))).")
        }
    }
}
