import ArgumentParser
import Foundation
import Signing

/// Makes a private authority and a key that signs Content Credentials in development.
struct AdminSigningIdentity: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-identity",
        abstract: "Makes a key and certificates that sign Content Credentials in development, unless they are there and still hold.",
        discussion: """
            Writes root.pem, for RIAL_C2PA_OWN_ANCHORS; certificates.pem, for RIAL_C2PA_CERTIFICATES; and private-key.pem, for \
            RIAL_C2PA_PRIVATE_KEY. The authority's own keys are kept nowhere. Nobody but you trusts what is signed with them.
            """)

    @Option(help: "Folder to write to; made if missing.")
    var out: String

    @Option(help: "ed25519 or es256.")
    var algorithm = "ed25519"

    func run() throws {
        guard let algorithm = SigningAlgorithm(rawValue: algorithm) else {
            throw ValidationError("the algorithm is ed25519 or es256, not “\(algorithm)”")
        }
        let folder = URL(fileURLWithPath: out, isDirectory: true)
        let files = (root: "root.pem", chain: "certificates.pem", key: "private-key.pem")
        if holds(folder, files.chain, files.key) {
            Console.result("signing identity: \(folder.path), as it was")
            return
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // From an hour ago: clocks of those who read differ a little.
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

    /// Whether a signer can be made of what is there, tomorrow as well.
    private func holds(_ folder: URL, _ chain: String, _ key: String) -> Bool {
        guard let chain = try? String(contentsOf: folder.appending(path: chain), encoding: .utf8),
            let key = try? String(contentsOf: folder.appending(path: key), encoding: .utf8)
        else { return false }
        return (try? PEMSigner(certificatesPEM: chain, privateKeyPEM: key, at: Date().addingTimeInterval(86_400))) != nil
    }
}
