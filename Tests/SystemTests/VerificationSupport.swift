import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Signing
import Testing

/// A gateway of the stack without rate limits for verification, with its own scratch folder.
struct VerifyingGateway: Sendable {
    @TaskLocal static var current: VerifyingGateway?
    let client: TestClient
    /// The folder for files that are being verified.
    let scratch: URL
    let number: Int
    /// An authority listed by the operator: its signers are trusted, but are not ours.
    let listed: DevelopmentAuthority.Identity

    static func required() throws -> VerifyingGateway { try #require(current) }

    func verify(_ bytes: [UInt8], name: String = "photo.jpg", headers: [(String, String)] = []) async throws -> Answer {
        try await client.verify([FormPart("file", bytes, filename: name)], headers: headers)
    }

    func verify(hash: String) async throws -> Answer { try await client.send("GET", "/api/v1/verify-hash/\(hash)") }

    var processID: Int32 {
        get throws { try LocalStack.required().processID(of: "gateway.\(number)") }
    }

    /// The gateway's open files in its scratch folder, named or not, and the files in the folder.
    func scratchFiles() throws -> [String] {
        let descriptors = "/proc/\(try processID)/fd"
        let open = try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
        }
        return try open.filter { $0.hasPrefix(scratch.path) } + FileManager.default.contentsOfDirectory(atPath: scratch.path)
    }

    /// Its peak memory since ``forgetPeak()``, in bytes (proc(5), VmHWM).
    func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(try processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }

    func forgetPeak() throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/\(try processID)/clear_refs"))
        try file.write(contentsOf: Data("5".utf8))
        try file.close()
    }

    /// The ids of its running child processes.
    func inspectors() throws -> [Int32] {
        let parent = "\(try processID)"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { process in
            guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
            // After the name in parentheses come the state and the parent.
            let fields = line.suffix(from: line.lastIndex(of: ")") ?? line.startIndex).split(separator: " ")
            return fields.count > 2 && fields[2] == parent && fields[1] != "Z"
        }
    }

    /// The response of its admin port.
    func admin(_ path: String) async throws -> String { try await adminAnswer(path).text }

    func adminAnswer(_ path: String) async throws -> Answer {
        try await LocalStack.required().client(of: "gateway", number, .admin).send("GET", path)
    }

    func log() throws -> String {
        try String(contentsOf: LocalStack.required().folder.appendingPathComponent("logs/gateway.\(number).log"), encoding: .utf8)
    }
}

extension TestClient {
    static let verifications = "/api/v1/verify-file"

    func verify(_ parts: [FormPart], headers: [(String, String)] = []) async throws -> Answer {
        try await verify(.bytes(Self.encode(parts)), headers: headers, within: .seconds(240))
    }

    func verify(_ file: [UInt8], within limit: TimeAmount) async throws -> Answer {
        try await verify(.bytes(Self.encode([FormPart("file", file)])), within: limit)
    }

    /// Sends an encoded form, with the test's timeout.
    func verify(
        _ body: HTTPClientRequest.Body, headers: [(String, String)] = [], within limit: TimeAmount
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + Self.verifications)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=\(Self.boundary)")
        request.body = body
        let response = try await Self.http.execute(request, timeout: limit)
        let bytes = try await response.body.collect(upTo: 1 << 20)
        let pairs = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(response.status.code), headers: Dictionary(pairs) { first, _ in first }, body: Array(bytes.readableBytesView))
    }
}

extension LocalStack {
    func processID(of instance: String) throws -> Int32 {
        let text = try String(contentsOf: folder.appendingPathComponent("run/\(instance).pid"), encoding: .utf8)
        return try #require(text.split(separator: " ").first.flatMap { Int32($0) })
    }

    /// The log entries of verifications of a file, oldest first.
    func verifications(of digest: String) async throws -> [String] {
        try await sql(
            """
            SELECT method || ' ' || client_network || ' ' || status || ' ' || coalesce(capture_id::text, '-') FROM verification_logs
            WHERE file_sha256 = '\\x\(digest)' ORDER BY id
            """)
    }
}

extension Answer {
    var verdict: String? { data["status"] as? String }
    var matched: String? { data["matched"] as? String }
    var captureID: String? { data["capture_id"] as? String }
    var manifest: [String: Any] { data["manifest_info"] as? [String: Any] ?? [:] }
    var validationState: String? { manifest["validation_state"] as? String }
    var validationCodes: [String] { (manifest["validation_codes"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String } }
}

/// Starts a ``VerifyingGateway`` before a suite and stops it afterwards.
struct VerifyingGatewayTrait: SuiteTrait, TestScoping {
    let number: Int
    let settings: [String: String]
    var isRecursive: Bool { false }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await around(function)
    }

    func around(_ function: @Sendable () async throws -> Void) async throws {
        guard let stack = LocalStack.current else { return try await function() }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-verification-\(UUID().uuidString)")
        let scratch = folder.appendingPathComponent("scratch").resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The listed authority's leaf has our serial number, since any authority can choose serial numbers.
        let own = try String(contentsOf: stack.folder.appendingPathComponent("keys/c2pa/certificates.pem"), encoding: .utf8)
        let listed = try DevelopmentAuthority.make(
            algorithm: .ed25519, leafSerial: SigningCertificate(pem: own).leafSerialBytes, now: Date().addingTimeInterval(-3600))
        let anchors = folder.appendingPathComponent("anchors.pem")
        try listed.rootPEM.write(to: anchors, atomically: true, encoding: .utf8)
        let variables = [
            "RIAL_LIMIT_VERIFICATIONS_PER_HOUR": "0", "RIAL_SCRATCH_DIR": scratch.path, "RIAL_C2PA_TRUST_ANCHORS": anchors.path,
            "RIAL_MAX_VERIFICATIONS_PER_ADDRESS": "0", "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "30",
        ]
        let client = try await stack.startGateway(number, settings: variables.merging(settings) { _, new in new })
        let gateway = VerifyingGateway(client: client, scratch: scratch, number: number, listed: listed)
        do {
            try await VerifyingGateway.$current.withValue(gateway) { try await function() }
        } catch {
            try? await stack.control("stop", "gateway", number)
            throw error
        }
        try await stack.control("stop", "gateway", number)
    }
}

extension Trait where Self == VerifyingGatewayTrait {
    static func verifyingGateway(_ number: Int, _ settings: [String: String] = [:]) -> Self { Self(number: number, settings: settings) }
}
