import Foundation

/// An RFC 3161 authority made of `openssl ts`, with certificates of its own in a temporary folder.
final class TimestampAuthority: Sendable {
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isPresent: Bool { openssl != nil }

    private let folder: URL
    private let server: LocalServer
    let rootPEM: String
    var url: URL { server.url }
    var requests: Int { server.connections }

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tsa-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        try Data(Self.configuration.utf8).write(to: folder.appendingPathComponent("tsa.cnf"))
        try Data("01\n".utf8).write(to: folder.appendingPathComponent("serial"))
        let newKey = ["req", "-config", "tsa.cnf", "-newkey", "rsa:2048", "-nodes", "-sha256"]
        try Self.run(
            newKey + [
                "-x509", "-days", "30", "-subj", "/O=Test/CN=time root", "-extensions", "root", "-keyout", "root.key", "-out", "root.pem",
            ],
            in: folder)
        try Self.run(newKey + ["-subj", "/O=Test/CN=time", "-keyout", "time.key", "-out", "time.csr"], in: folder)
        try Self.run(
            [
                "x509", "-req", "-in", "time.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "77", "-days", "20", "-sha256",
                "-extfile", "tsa.cnf", "-extensions", "time", "-out", "time.pem",
            ], in: folder)
        rootPEM = try String(contentsOf: folder.appendingPathComponent("root.pem"), encoding: .utf8)
        server = try LocalServer { query in
            guard (try? Data(query).write(to: folder.appendingPathComponent("query"))) != nil,
                (try? Self.run(
                    ["ts", "-reply", "-config", "tsa.cnf", "-section", "authority", "-queryfile", "query", "-out", "reply"], in: folder))
                    != nil,
                let reply = try? Data(contentsOf: folder.appendingPathComponent("reply"))
            else { return (500, []) }
            return (200, Array(reply))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func lastReply() throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent("reply"))) }

    private static func run(_ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl ?? "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    private static let configuration = """
        [req]
        distinguished_name = name
        [name]
        [root]
        basicConstraints = critical,CA:TRUE
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash
        [time]
        basicConstraints = critical,CA:FALSE
        keyUsage = critical,digitalSignature
        extendedKeyUsage = critical,timeStamping
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        [authority]
        serial = serial
        crypto_device = builtin
        signer_cert = time.pem
        signer_key = time.key
        certs = root.pem
        signer_digest = sha256
        default_policy = 1.2.3.4.1
        other_policies = 1.2.3.4.2
        digests = sha256,sha384,sha512
        accuracy = secs:1
        ess_cert_id_alg = sha256
        """
}
