import ArgumentParser
import Foundation
import Signing
import SwiftASN1
import X509

/// Creates a private authority and a signing key for Content Credentials in development.
struct AdminSigningIdentity: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-identity",
        abstract: "Creates a signing key and certificates for Content Credentials in development, unless there are valid ones.",
        discussion: """
            Writes root.pem, for RIAL_C2PA_OWN_ANCHORS; certificates.pem, for RIAL_C2PA_CERTIFICATES; and private-key.pem, for \
            RIAL_C2PA_PRIVATE_KEY. The authority's own keys are not kept. Only installations that list the root trust the signatures. \
            After a year all three are new, and earlier roots stay in root.pem, behind the new one, for what they vouch for. A file that \
            cannot be read is not replaced.
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
        let files = (
            root: folder.appending(path: "root.pem"), chain: folder.appending(path: "certificates.pem"),
            key: folder.appending(path: "private-key.pem")
        )
        let (chain, key) = (try Self.read(files.chain), try Self.read(files.key))
        if let chain, let key, Self.isValid(chain, key) {
            Console.result("signing identity: \(folder.path), unchanged")
            return
        }
        let former = try Self.read(files.root)
        // Somebody may need what this command does not understand.
        if let chain, (try? SigningCertificate(pem: chain)) == nil { throw Self.refusal(files.chain, "holds no certificates of a signer") }
        if let key, (try? Certificate.PrivateKey(pemEncoded: key)) == nil { throw Self.refusal(files.key, "holds no private key") }
        if let former, !Self.areCertificates(former) { throw Self.refusal(files.root, "holds no certificates") }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Valid from an hour ago, since readers' clocks may be behind.
        let identity = try DevelopmentAuthority.make(algorithm: algorithm, now: Date().addingTimeInterval(-3600))
        // The root first: it is listed whenever there is a signer. Without its certificates the key is none yet, and all is made anew.
        for (file, text, permissions) in [
            (files.root, identity.rootPEM + (former ?? ""), 0o644), (files.key, identity.privateKeyPEM, 0o600),
            (files.chain, identity.chainPEM, 0o644),
        ] {
            try LocalFile.replace(file.lastPathComponent, in: folder.path, with: Array(text.utf8), permissions: permissions)
        }
        Console.result("signing identity: \(folder.path)\(former == nil ? "" : "; the earlier roots are kept in root.pem")")
    }

    /// Whether these are a valid signer, and will be tomorrow.
    private static func isValid(_ chain: String, _ key: String) -> Bool {
        (try? PEMSigner(certificatesPEM: chain, privateKeyPEM: key, at: Date().addingTimeInterval(86_400))) != nil
    }

    private static func areCertificates(_ pem: String) -> Bool {
        guard let documents = try? PEMDocument.parseMultiple(pemString: pem), !documents.isEmpty else { return false }
        return documents.allSatisfy { (try? Certificate(pemDocument: $0)) != nil }
    }

    private static func refusal(_ file: URL, _ defect: String) -> CommandFailure {
        CommandFailure("\(file.path) \(defect), and is not replaced: move it away for a new one.")
    }

    /// - Returns: `nil` if there is no such file.
    private static func read(_ file: URL) throws -> String? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { throw refusal(file, "cannot be read") }
        return text
    }
}
