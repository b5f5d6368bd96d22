import ArgumentParser
import CaptureProtocol
import Foundation
import ServiceRuntime
import TestSupport
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("Commands of log and witness")
struct LogArgumentTests {
    @Test(
        "takes what the help says",
        arguments: [
            ["witness", "key", "--name", "w.example/1", "--out", "k"],
            ["witness", "run", "--name", "w", "--key", "k", "--logs", "p", "--store", "d", "--listen", "[::1]:80"],
            ["log", "monitor", "https://h/log/2026", "--policy", "p", "--state", "d", "--also", "f", "--also", "https://w/", "--once"],
            ["log", "monitor", "http://h/log/2026/", "--policy", "p", "--state", "d", "--bundle", "b", "--interval", "60"],
        ])
    func accepts(arguments: [String]) throws { _ = try Rial.parseAsRoot(arguments) }

    @Test(
        "refuses what makes no sense",
        arguments: [
            ["log", "monitor", "/log/2026", "--policy", "p", "--state", "d"], ["log", "monitor", "https://h/", "--state", "d"],
            ["log", "monitor", "https://h/", "--policy", "p", "--state", "d", "--interval", "0"],
            ["witness", "run", "--name", "w", "--key", "k", "--logs", "p", "--store", "d", "--listen", "80"],
        ])
    func refuses(arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) { try Rial.parseAsRoot(arguments) }
        #expect(Rial.exitCode(for: error).rawValue == 64)
    }

    @Test("a key in a file and one in a token are refused together, as the service refuses them")
    func bothKeys() {
        let variables = [
            "RIAL_LOG_PRIVATE_KEY": "-----BEGIN", "RIAL_LOG_PKCS11_MODULE": "/m.so", "RIAL_LOG_PKCS11_TOKEN": "t",
            "RIAL_LOG_PKCS11_PIN": "1234", "RIAL_LOG_PKCS11_KEY": "k",
        ]
        let error = #expect(throws: SettingsError.self) { _ = try LogKeyReader.signer(ServiceEnvironment(variables)) }
        #expect(error?.variable == "RIAL_LOG_PRIVATE_KEY")
    }

    @Test("an address to listen at has host and port", arguments: ["", ":1", "h", "h:", "h:70000", "h:-1", "::1:80", "h:+1"])
    func refusesAddress(text: String) { #expect(ListenAddress(argument: text) == nil) }

    @Test("a policy has the installation's logs and the witnesses, all of which have to cosign")
    func policy() throws {
        let log = try PublishedLog.signer("rial.example/log/2026", .log).verifier.description
        let witnesses = try (1...2).map { number in
            "\(try PublishedLog.signer("w.example/\(number)", .witness).verifier) https://w.example/\(number)/"
        }
        let text = try LogPolicy.text([(log, "2026")], site: "https://rial.example", witnesses: witnesses)
        let policy = try TrustPolicy(Array(text.utf8))
        #expect(policy.logs.map(\.url) == ["https://rial.example/log/2026/"] && policy.witnesses.count == 2)
        #expect(policy.standing([]) == .missing)
        #expect(try LogPolicy.text([(log, "2026")], site: "https://rial.example/", witnesses: []).hasSuffix("quorum none\n"))
        for wrong in ["", "https://w.example/", witnesses[0] + "\nquorum none", log + " https://w.example/"] {
            #expect(throws: ValidationError.self) { try LogPolicy.text([(log, "2026")], site: "https://rial.example", witnesses: [wrong]) }
        }
        let error = #expect(throws: ValidationError.self) {
            try LogPolicy.text([(log, "2026")], site: "https://rial.example", witnesses: ["x y z"])
        }
        #expect(error?.message == "The policy of these logs and witnesses has a malformed witness line, or too many.")
    }

    @Test("an address of version 6 is in brackets")
    func address() {
        #expect(ListenAddress(argument: "[::1]:80")?.host == "::1")
        #expect(ListenAddress(argument: "localhost:0")?.port == 0)
    }

    @Test("a witness's key is made once, and read by its name alone")
    func key() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("key").path
        let command = try WitnessKey.parse(["--name", "w.example/1", "--out", path])
        try command.run()
        let made = try WitnessKeyFile.read(path, name: "w.example/1").verifier
        try command.run()
        #expect(try WitnessKeyFile.read(path, name: "w.example/1").verifier == made && made.kind == .witness)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(throws: CommandFailure.self) { try WitnessKeyFile.read(path, name: "w.example/2") }
        try Data((try PublishedLog.signer("w.example/1", .log).text).utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: CommandFailure.self) { try WitnessKeyFile.read(path, name: "w.example/1") }
    }

    @Test("a source of checkpoints is a file, an address, or a monitoring prefix")
    func sources() throws {
        let origin = try #require(TextLine("rial.example/log/2026"))
        #expect(CheckpointSource("a/b") == .file("a/b") && CheckpointSource("https://h/checkpoint") == .address("https://h/checkpoint"))
        let hash = ContentDigest(of: origin.bytes).hex
        #expect(CheckpointSource("https://w/").place(of: origin) == "https://w/\(hash)/checkpoint")
    }

    @Test("records of leaves are read as they were written, and nothing else is")
    func records() throws {
        let next = try PublishedLog.signer("rial.example/log/2027", .log).verifier
        let leaves = [.shard(previous: nil, head: .empty), .end(next: next)] + LogLeaf.Kind.allCases.map { PublishedLog.leaf(3, kind: $0) }
        for leaf in leaves {
            let record = LeafRecord(leaf)
            #expect(record.bytes.count == LeafRecord.size && LeafRecord(record.bytes) == record && record.leafHash == leaf.hash)
        }
        var bytes = LeafRecord(leaves[0]).bytes
        for code: UInt8 in [0, 3 + UInt8(LogLeaf.Kind.allCases.count), 255] {
            bytes[0] = code
            #expect(LeafRecord(bytes) == nil)
        }
        #expect(LeafRecord(bytes.dropLast()) == nil)
    }
}
