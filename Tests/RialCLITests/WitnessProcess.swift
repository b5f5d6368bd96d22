import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import TransparencyLog

@testable import RialCLI

/// `rial witness run`, as a process of its own.
final class WitnessProcess: Sendable {
    static let program = SharedData.projectRoot.appendingPathComponent(".build/debug/rial")
    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program.path) }
    static let need = "needs the program rial, which `swift build` makes"

    let folder: URL
    let key: SignerKey
    /// As it was started last.
    private let running = Mutex((process: Process(), port: 0))

    /// - Parameter logs: verifier keys.
    init(logs: [VerifierKey]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-witness-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        key = try PublishedLog.signer("witness.example/w1", .witness)
        try Data((key.text + "\n").utf8).write(to: folder.appendingPathComponent("key"))
        let policy = logs.map { "log \($0)\n" }.joined() + "quorum none\n"
        try Data(policy.utf8).write(to: folder.appendingPathComponent("policy"))
    }

    var store: URL { folder.appendingPathComponent("store") }
    private var process: Process { running.withLock { $0.process } }
    var port: Int { running.withLock { $0.port } }
    var prefix: String { "http://127.0.0.1:\(port)/" }
    var log: String { (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? "" }

    /// Starts it, and waits until it listens.
    func start() async throws {
        let output = folder.appendingPathComponent("log")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = Self.program
        process.arguments = [
            "witness", "run", "--name", "witness.example/w1", "--key", folder.appendingPathComponent("key").path, "--logs",
            folder.appendingPathComponent("policy").path, "--store", store.path, "--listen", "127.0.0.1:0",
        ]
        process.standardError = try FileHandle(forWritingTo: output)
        try process.run()
        running.withLock { $0.process = process }
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline, process.isRunning {
            if let line = log.split(separator: "\n").first(where: { $0.contains("listening on") }),
                let number = line.split(separator: ":").last.flatMap({ Int($0) })
            {
                running.withLock { $0.port = number }
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure("the witness did not start: \(log)")
    }

    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// - Returns: its exit code.
    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    func end() {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    struct Reply: Sendable {
        let status: Int
        let body: [UInt8]
        let type: String?

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    func post(_ body: [UInt8], path: String = "add-checkpoint") async throws -> Reply {
        var request = HTTPClientRequest(url: prefix + path)
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: body))
        return try await send(request)
    }

    func get(_ path: String) async throws -> Reply { try await send(HTTPClientRequest(url: prefix + path)) }

    private func send(_ request: HTTPClientRequest) async throws -> Reply {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Reply(
            status: Int(response.status.code), body: Array(body.readableBytesView), type: response.headers.first(name: "content-type"))
    }
}
