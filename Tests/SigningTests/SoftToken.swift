import CPKCS11
import Foundation
import Secrets
import X509

@testable import Signing

/// Tokens of a real SoftHSM2 in a temporary folder of this process, initialised with the tools of SoftHSM and OpenSC.
struct SoftToken {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    private static let tokenTool = "/usr/bin/softhsm2-util"
    private static let keyTool = "/usr/bin/pkcs11-tool"
    static var isInstalled: Bool { [module, tokenTool, keyTool].allSatisfy { FileManager.default.fileExists(atPath: $0) } }

    /// The tokens' folder; created once, since the module reads its settings from the process's environment.
    private static let home: URL = {
        let home = FileManager.default.temporaryDirectory.appending(path: "rial-softhsm-\(UUID().uuidString)")
        let tokens = home.appending(path: "tokens")
        let settings = home.appending(path: "softhsm2.conf")
        do {
            try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
            try "directories.tokendir = \(tokens.path)\nobjectstore.backend = file\nlog.level = ERROR\n"
                .write(to: settings, atomically: true, encoding: .utf8)
        } catch {
            preconditionFailure("no temporary folder: \(error)")
        }
        setenv("SOFTHSM2_CONF", settings.path, 1)
        atexit { try? FileManager.default.removeItem(at: SoftToken.home) }
        return home
    }()

    let label = "token-\(UUID().uuidString.prefix(13))"
    let pin = "pin-\(UUID().uuidString.prefix(8))"
    let keyLabel = "claims"
    let folder: URL

    enum KeyKind: String {
        case ed25519 = "EC:edwards25519"
        case es256 = "EC:prime256v1"
    }

    struct ToolFailure: Error { let text: String }

    /// A token with one key pair, or none.
    init(_ kind: KeyKind?, flags: [String] = ["--sensitive"]) throws {
        let tokens = Self.home.appending(path: "tokens")
        folder = try Self.alone { [label, pin] in
            let before = try Set(FileManager.default.contentsOfDirectory(atPath: tokens.path))
            try Self.run(Self.tokenTool, ["--init-token", "--free", "--label", label, "--so-pin", "so-pin-1234", "--pin", pin])
            let new = try Set(FileManager.default.contentsOfDirectory(atPath: tokens.path)).subtracting(before)
            guard new.count == 1, let name = new.first else { throw ToolFailure(text: "the token's folder is not to be found") }
            return tokens.appending(path: name)
        }
        if let kind { try addKey(kind, flags: flags) }
    }

    func addKey(_ kind: KeyKind, flags: [String] = ["--sensitive"]) throws {
        try tool(["--keypairgen", "--key-type", kind.rawValue, "--label", keyLabel, "--usage-sign"] + flags)
    }

    func deleteKey() throws {
        for type in ["privkey", "pubkey"] { try tool(["--delete-object", "--type", type, "--label", keyLabel]) }
    }

    func changePIN(from old: String? = nil, to new: String) throws {
        try tool(["--change-pin", "--new-pin", new], pin: old ?? pin)
    }

    private func tool(_ arguments: [String], pin: String? = nil) throws {
        try Self.alone { [label, pin = pin ?? self.pin] in
            try Self.run(Self.keyTool, ["--module", Self.module, "--token-label", label, "--login", "--pin", pin] + arguments)
        }
    }

    /// Simulates the removal of the token.
    func remove() throws { try Self.alone { try FileManager.default.moveItem(at: folder, to: away) } }
    func putBack() throws { try Self.alone { try FileManager.default.moveItem(at: away, to: folder) } }
    private var away: URL { Self.home.appending(path: "away-" + folder.lastPathComponent) }

    func publicKey() throws -> Certificate.PublicKey {
        try PKCS11Signer.publicKey(module: Self.module, tokenLabel: label, pin: Secret(pin), keyLabel: keyLabel)
    }

    /// A chain for the token's key, issued by a new authority.
    func chain(_ algorithm: SigningAlgorithm, at now: Date) throws -> String {
        let authority = try DevelopmentAuthority(algorithm: algorithm, validFrom: now)
        return try authority.issue(leafFor: publicKey(), validity: DevelopmentAuthority.year(from: now))
    }

    /// Runs while no signer of this process calls the module: SoftHSM's tools fail while another process writes to or removes a token. It
    /// also ensures that a new token's folder is the only new one.
    private static func alone<Value: Sendable>(_ body: () throws -> Value) throws -> Value {
        _ = home
        return try PKCS11Module.load(module).run(renewing: false) { _ in Result { try body() } }.get()
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ToolFailure(text: text) }
    }
}
