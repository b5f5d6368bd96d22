import Foundation
import TestSupport

/// A root and its certificates as Apple's for receipts, made by openssl in a temporary folder.
final class ReceiptAuthority {
    /// What a certificate is for: its extensions in the configuration.
    enum Purpose: String, CaseIterable {
        case receiptSigner = "receipts"
        case other
    }

    let rootPEM: String
    private let folder: URL

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-receipts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        try Data(Self.configuration.utf8).write(to: folder.appendingPathComponent("authority.cnf"))
        let new = [
            "req", "-config", "authority.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256",
        ]
        let root = ["-x509", "-days", "2", "-subj", "/CN=receipt root", "-extensions", "root", "-keyout", "root.key", "-out", "root.pem"]
        try OpenSSL.run(new + root, in: folder)
        rootPEM = try String(contentsOf: folder.appendingPathComponent("root.pem"), encoding: .utf8)
        try OpenSSL.run(new + ["-subj", "/CN=receipt signer", "-keyout", "signer.key", "-out", "signer.csr"], in: folder)
        for purpose in Purpose.allCases {
            let issue = ["x509", "-req", "-in", "signer.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "77", "-days", "2"]
            let name = purpose.rawValue
            try OpenSSL.run(
                issue + ["-sha256", "-extfile", "authority.cnf", "-extensions", name, "-out", "\(name).pem"], in: folder)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A receipt with this content.
    func sign(_ content: [UInt8], as purpose: Purpose) throws -> [UInt8] {
        try Data(content).write(to: folder.appendingPathComponent("content"))
        let command = ["cms", "-sign", "-binary", "-nodetach", "-noattr", "-md", "sha256", "-in", "content"]
        try OpenSSL.run(
            command + ["-signer", "\(purpose.rawValue).pem", "-inkey", "signer.key", "-outform", "DER", "-out", "receipt"], in: folder)
        return Array(try Data(contentsOf: folder.appendingPathComponent("receipt")))
    }

    private static let configuration = """
        [req]
        distinguished_name = name
        [name]
        [root]
        basicConstraints = critical,CA:TRUE
        keyUsage = critical,keyCertSign
        subjectKeyIdentifier = hash
        [receipts]
        basicConstraints = critical,CA:FALSE
        keyUsage = critical,digitalSignature
        1.2.840.113635.100.12.15 = DER:05:00
        [other]
        basicConstraints = critical,CA:FALSE
        keyUsage = critical,digitalSignature
        """
}
