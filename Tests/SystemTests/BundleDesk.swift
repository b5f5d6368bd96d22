import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

/// A device with what it captured, and the command line, which verifies without a network.
struct BundleDesk: Sendable {
    struct Outcome: Sendable {
        let code: Int32
        let text: String

        var json: [String: Any] {
            (text.firstIndex(of: "{").flatMap { try? JSONSerialization.jsonObject(with: Data(text[$0...].utf8)) }) as? [String: Any] ?? [:]
        }

        private var checks: [[String: Any]] { json["checks"] as? [[String: Any]] ?? [] }

        func finding(_ check: String) -> String? { checks.last { $0["name"] as? String == check }?["result"] as? String }

        /// The checks that failed.
        var failed: Set<String> { Set(checks.filter { $0["result"] as? String == "failed" }.compactMap { $0["name"] as? String }) }

        /// What the failed checks say.
        var complaints: String {
            checks.filter { $0["result"] as? String == "failed" }.compactMap { $0["sentence"] as? String }.joined(separator: " ")
        }
    }

    let stack: LocalStack
    let folder: URL
    var photo: String { folder.appendingPathComponent("scene/photo.jpg").path }
    var depth: String { folder.appendingPathComponent("scene/depth.f32.gz").path }
    var state: String { folder.appendingPathComponent("device.json").path }
    var root: String { (stack.addresses["RIAL_DEVELOPMENT_ROOT_DIR"] ?? "") + "/app-attest-root.pem" }
    /// The path of the policy that the stack goes by.
    var policy: String { stack.addresses["RIAL_LOG_POLICY"] ?? "" }

    init() async throws {
        stack = try LocalStack.required()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-desk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let seed = "\(Int.random(in: 1...1_000_000))"
        for command in [
            ["scene", "desk", "--seed", seed, "--out", folder.path + "/scene", "--size", "640x480"],
            ["device", "register", "--state", state],
        ] {
            let done = try await run(command)
            #expect(done.code == 0, "\(done.text)")
        }
    }

    /// Sends the photo.
    /// - Returns: the id of a complete capture.
    func send(_ more: String...) async throws -> String {
        try await complete(
            ["capture", "send", "--photo", photo, "--depth", depth, "--width", "256", "--height", "192"] + more)
    }

    /// Sends a video of a second.
    /// - Returns: the id of a complete capture.
    func sendVideo() async throws -> String {
        let folder = folder.path + "/video"
        let recorded = try await run(
            "video", "record", "--scene", "room", "--seconds", "1", "--size", "160x120", "--out", folder, "--state", state)
        #expect(recorded.code == 0, "\(recorded.text)")
        return try await complete(["video", "send", folder])
    }

    private func complete(_ command: [String]) async throws -> String {
        let sent = try await run(command + ["--state", state, "--watch", "--json"])
        #expect(sent.code == 0, "\(sent.text)")
        let id = (sent.json["data"] as? [String: Any] ?? sent.json)["id"] as? String
        return try #require(id, "\(sent.text)")
    }

    /// - Returns: the bundle's path.
    func fetch(_ id: String, _ more: String...) async throws -> String {
        let path = folder.appendingPathComponent("\(UUID().uuidString).rial").path
        let done = try await run(["bundle", "get", id, "--output", path] + more)
        #expect(done.code == 0, "\(done.text)")
        return path
    }

    /// The owner's bundle, with photo and depth if it is of the photo.
    func fetchOwned(_ id: String, isPhoto: Bool = false) async throws -> String {
        let bundle = try await fetch(id, "--owner", "--media", "--state", state)
        guard isPhoto else { return bundle }
        let joined = try await run("bundle", "join", bundle, "--photo", photo, "--depth", depth)
        #expect(joined.code == 0, "\(joined.text)")
        return bundle
    }

    /// Verifies with the stack's policy unless another is given.
    /// - Parameter more: files, and options.
    func verify(_ bundle: String, policy other: String? = nil, _ more: String...) async throws -> Outcome {
        try await run(["verify", "--bundle", bundle, "--policy", other ?? policy, "--json"] + more, isOffline: true)
    }

    /// Verifies a bundle with something in it changed and everything around it made anew: no checksum tells.
    func verify(
        _ bundle: String, changed change: (inout EvidenceBundle) throws -> Void, _ option: String, _ value: String
    ) async throws -> Outcome {
        let whole = try EvidenceBundle(Array(try Data(contentsOf: URL(fileURLWithPath: bundle))))
        var changed = whole
        try change(&changed)
        try #require(changed != whole)
        let file = folder.appendingPathComponent("\(UUID().uuidString).rial")
        try Data(try changed.bytes()).write(to: file)
        return try await verify(file.path, option, value)
    }

    func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }

    /// - Parameter isOffline: without a network, as far as the machine lets us, and knowing no address.
    private func run(_ arguments: [String], isOffline: Bool = false) async throws -> Outcome {
        let output = folder.appendingPathComponent(UUID().uuidString)
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let command = (isOffline ? Self.withoutNetwork : []) + [Phone.program] + arguments
        let process = LocalStack.process(
            command[0], Array(command.dropFirst()), isOffline ? [:] : stack.addresses, output: try FileHandle(forWritingTo: output))
        try process.run()
        try await eventually("rial \(arguments.joined(separator: " ")) ends") { !process.isRunning }
        return Outcome(code: process.terminationStatus, text: try String(contentsOf: output, encoding: .utf8))
    }

    /// Runs a command in a namespace that has no network at all; empty where nobody may make one.
    private static let withoutNetwork: [String] = {
        let command = ["/usr/bin/unshare", "--map-root-user", "--net"]
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: command[0])
        trial.arguments = Array(command.dropFirst()) + ["true"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return [] }
        trial.waitUntilExit()
        return trial.terminationStatus == 0 ? command : []
    }()
}

extension EvidenceBundle {
    /// Replaces text in the first statement.
    mutating func state(_ text: String, insteadOf other: String) throws {
        let statement = String(decoding: statements[0].statement.bytes, as: UTF8.self)
        try #require(statement.contains(other))
        statements[0].statement = try Statement(bytes: Array(statement.replacing(other, with: text).utf8))
    }

    /// Changes a line of the first proof.
    /// - Parameters:
    ///   - isLine: which; the first one.
    ///   - offset: of the character that becomes another one of base64, from the end of the line if negative.
    mutating func changeProof(at offset: Int, of isLine: (Substring) -> Bool) throws {
        var lines = String(decoding: statements[0].proof, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let found = lines.firstIndex(where: isLine)
        let index = try #require(found)
        var line = Array(lines[index])
        let place = offset < 0 ? line.count + offset : offset
        line[place] = line[place] == "A" ? "B" : "A"
        lines[index] = Substring(String(line))
        statements[0].proof = Array(lines.joined(separator: "\n").utf8)
    }

    /// Changes the last bit of a number of the depth in the first evidence.
    mutating func changeDepth(_ name: String) throws {
        let text = String(decoding: statements[0].evidence ?? [], as: UTF8.self)
        let found = try #require(try Regex("\"\(name)\":([0-9.e-]+)", as: (Substring, Substring).self).firstMatch(in: text))
        let number = try #require(Double(found.output.1))
        statements[0].evidence = Array(text.replacingCharacters(in: found.range, with: "\"\(name)\":\(number.nextUp)").utf8)
    }
}

extension [UInt8]? {
    /// The same with one bit changed in the middle.
    mutating func flip() throws {
        var bytes = try #require(self)
        bytes[bytes.count / 2] ^= 1
        self = bytes
    }
}
