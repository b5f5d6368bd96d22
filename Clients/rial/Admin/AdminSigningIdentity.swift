import ArgumentParser
import Foundation
import Signing

/// Creates a private authority and a signing key for Content Credentials in development.
struct AdminSigningIdentity: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-identity",
        abstract: "Creates a signing key and certificates for Content Credentials in development, unless there are valid ones.",
        discussion: """
            Writes root.pem, for RIAL_C2PA_OWN_ANCHORS; certificates.pem, for RIAL_C2PA_CERTIFICATES; and private-key.pem, for \
            RIAL_C2PA_PRIVATE_KEY. The authority's own keys are not kept. Only installations that list the root trust the signatures.
            """)

    @Option(help: "Folder to write to; created if missing.")
    var out: String

    @Option(help: "ed25519 or es256.")
    var algorithm = "ed25519"

    func run() throws {
        guard let algorithm = SigningAlgorithm(rawValue: algorithm) else {
            throw ValidationError("the algorithm is ed25519 or es256, not “\(algorithm)”")
        }
        let folder = URL(fileURLWithPath: out, isDirectory: true)
        let files = (root: "root.pem", chain: "certificates.pem", key: "private-key.pem")
        if isValid(folder, files.chain, files.key) {
            Console.result("signing identity: \(folder.path), unchanged")
            return
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Valid from an hour ago, since readers' clocks may be behind.
        let identity = try DevelopmentAuthority.make(algorithm: algorithm, now: Date().addingTimeInterval(-3600))
        try Data(identity.rootPEM.utf8).write(to: folder.appending(path: files.root), options: .atomic)
        try Data(identity.chainPEM.utf8).write(to: folder.appending(path: files.chain), options: .atomic)
        let key = folder.appending(path: files.key)
        guard
            FileManager.default.createFile(
                atPath: key.path, contents: Data(identity.privateKeyPEM.utf8), attributes: [.posixPermissions: 0o600])
        else { throw ValidationError("\(key.path) cannot be written") }
        Console.result("signing identity: \(folder.path)")
    }

    /// Whether the files are a valid signer, and will be tomorrow.
    private func isValid(_ folder: URL, _ chain: String, _ key: String) -> Bool {
        guard let chain = try? String(contentsOf: folder.appending(path: chain), encoding: .utf8),
            let key = try? String(contentsOf: folder.appending(path: key), encoding: .utf8)
        else { return false }
        return (try? PEMSigner(certificatesPEM: chain, privateKeyPEM: key, at: Date().addingTimeInterval(86_400))) != nil
    }
}
