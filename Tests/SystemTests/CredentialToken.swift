import Foundation
import Secrets
import Signing

/// A SoftHSM2 token with one Ed25519 key pair, in a temporary folder.
final class CredentialToken: Sendable {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    private static let tokenTool = "/usr/bin/softhsm2-util"
    private static let keyTool = "/usr/bin/pkcs11-tool"
    static var isInstalled: Bool { [module, tokenTool, keyTool].allSatisfy { FileManager.default.fileExists(atPath: $0) } }
    static let pin = "user-pin-4711"
    static let keyLabel = "claims"

    let label = "rial-\(UUID().uuidString.prefix(8))"
    private let home: URL
    private var tokens: URL { home.appendingPathComponent("tokens") }
    private var away: URL { home.appendingPathComponent("away") }
    private var environment: [String: String] { ["SOFTHSM2_CONF": home.appendingPathComponent("softhsm2.conf").path] }

    /// - Parameter flags: options of pkcs11-tool for the key's attributes.
    init(flags: [String] = ["--sensitive"]) async throws {
        home = FileManager.default.temporaryDirectory.appendingPathComponent("rial-token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
        try "directories.tokendir = \(tokens.path)\nobjectstore.backend = file\nlog.level = ERROR\n"
            .write(to: home.appendingPathComponent("softhsm2.conf"), atomically: true, encoding: .utf8)
        let made = ["--init-token", "--free", "--label", label, "--so-pin", "so-pin-1234", "--pin", Self.pin]
        _ = try await LocalStack.run(Self.tokenTool, made, environment)
        _ = try await tool(["--keypairgen", "--key-type", "EC:edwards25519", "--label", Self.keyLabel, "--usage-sign"] + flags)
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    /// Runs OpenSC's pkcs11-tool and returns its output; throws if it fails.
    func tool(_ arguments: [String]) async throws -> String {
        let login = ["--module", Self.module, "--token-label", label, "--login", "--pin", Self.pin]
        return try await LocalStack.run(Self.keyTool, login + arguments, environment)
    }

    /// Simulates the removal of the token; ``putBack()`` inserts it again.
    func remove() throws { try FileManager.default.moveItem(at: tokens, to: away) }
    func putBack() throws { try FileManager.default.moveItem(at: away, to: tokens) }

    /// The token's files.
    func files() throws -> [Data] {
        let files = FileManager.default.enumerator(at: tokens, includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).compactMap { try? Data(contentsOf: $0) }
    }

    /// The settings with which a service signs with this token's key, and a chain of a new authority.
    /// - Returns: the settings, and the root of the chain.
    func settings() throws -> (variables: [String: String], root: String) {
        // The module reads the path of its configuration from the process's environment, once.
        setenv("SOFTHSM2_CONF", home.appendingPathComponent("softhsm2.conf").path, 1)
        let start = Date().addingTimeInterval(-3600)
        let authority = try DevelopmentAuthority(algorithm: .ed25519, validFrom: start)
        let key = try PKCS11Signer.publicKey(module: Self.module, tokenLabel: label, pin: Secret(Self.pin), keyLabel: Self.keyLabel)
        let chain = home.appendingPathComponent("chain.pem")
        try authority.issue(leafFor: key, validity: DevelopmentAuthority.year(from: start)).write(
            to: chain, atomically: true, encoding: .utf8)
        let variables = [
            "RIAL_C2PA_PKCS11_MODULE": Self.module, "RIAL_C2PA_PKCS11_TOKEN": label, "RIAL_C2PA_PKCS11_PIN": Self.pin,
            "RIAL_C2PA_PKCS11_KEY": Self.keyLabel, "RIAL_C2PA_CERTIFICATES": chain.path,
        ]
        return (variables.merging(environment) { own, _ in own }, authority.rootPEM)
    }
}
