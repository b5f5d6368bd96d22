import CaptureProtocol
import Crypto
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension Answer {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension [UInt8] {
    var lowerHex: String { map { String(format: "%02x", $0) }.joined() }
}

extension LocalStack {
    /// The stack's secret for media links.
    var linkKey: SymmetricKey {
        get throws {
            let file = SharedData.projectRoot.appendingPathComponent(".local/\(name)/keys/link-key")
            let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            let digits = Array(text)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
            try #require(bytes.count == 32)
            return SymmetricKey(data: bytes)
        }
    }

    /// A media link in the gateway's format (SPEC §5).
    func link(_ capture: String, _ name: String, expires: Date) throws -> String {
        let seconds = Int64(expires.timeIntervalSince1970)
        let message = "rial-media-v1\n\(capture.lowercased())\n\(name)\n\(seconds)"
        let code = Array(HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: try linkKey))
        return "/media/\(capture)/\(name)?expires=\(seconds)&signature=\(code.lowerHex)"
    }

    /// Starts another gateway of this stack with its own settings.
    func startGateway(_ number: Int, settings: [String: String]) async throws -> TestClient {
        try await control("start", "gateway", number, settings: settings)
        return try client(of: "gateway", number, .http)
    }

    /// The public port of a gateway, or the admin port of any service.
    enum Port: String { case http, admin }

    /// A client of a running instance.
    func client(of service: String, _ number: Int, _ port: Port) throws -> TestClient {
        let instance = number == 1 ? service : "\(service).\(number)"
        let text = try String(contentsOf: folder.appendingPathComponent("run/\(instance).\(port.rawValue)"), encoding: .utf8)
        return TestClient(url: "http://127.0.0.1:\(text.trimmingCharacters(in: .whitespacesAndNewlines))")
    }

    /// Runs the work while a part is down.
    func without<Result>(_ part: String, by verb: String = "kill", _ work: () async throws -> Result) async throws -> Result {
        try await control(verb, part)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        try await control("start", part)
        let client = TestClient(url: url)
        try await eventually("the gateway is ready again") { try await client.send("GET", "/health").status == 200 }
        return try result.get()
    }
}

extension TestClient {
    static let captures = "/api/v1/captures"
    static let videos = "/api/v1/captures/video"
    static let registrations = "/api/v1/devices/register"

    var port: UInt16 {
        get throws { try #require(UInt16(url.split(separator: ":").last.map(String.init) ?? "")) }
    }

    /// A signed read request of a device.
    func signedRead(
        _ device: inout SimulatedDevice, _ path: String, method: String = "GET", rawP256: Bool = false,
        change: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Answer {
        var headers = try device.requestHeaders(
            method: method, path: path, bodyDigest: ContentDigest(of: [UInt8]()), rawP256: rawP256
        ).map { ($0.name, $0.value) }
        change(&headers)
        return try await send(method, path, headers: headers)
    }

    /// A valid capture with an assertion over photo, depth and metadata.
    func soundForm(_ device: inout SimulatedDevice, _ parts: CaptureParts, counter: UInt32? = nil) throws -> [FormPart] {
        let digests = parts.digests
        return parts.form(
            assertion: try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata, counter: counter))
    }
}
