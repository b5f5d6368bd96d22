public import Foundation
import Synchronization

/// An RFC 3161 time-stamp authority that runs `openssl ts`, with its own certificates in a temporary folder. It uses the same port on
/// 127.0.0.1 after it is closed and reopened.
public final class TimestampAuthority: Sendable {
    public enum Behaviour: Sendable { case answering, refusing }

    public let rootPEM: String
    private let folder: URL
    private let port: Int
    private let server = Mutex<LoopbackServer?>(nil)
    private let behaviour = Mutex(Behaviour.answering)
    public var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }
    /// The number of requests since it was last opened.
    public var requests: Int { server.withLock { $0?.connections ?? 0 } }

    /// - Parameters:
    ///   - key: what `openssl req -newkey` is told about both keys.
    ///   - usage: extended key usage of the authority's certificate.
    public init(key: [String] = ["rsa:2048"], usage: String = "critical,timeStamping") throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-tsa-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        try Data(try Self.configuration(usage: usage).utf8).write(to: folder.appendingPathComponent("tsa.cnf"))
        try Data("01\n".utf8).write(to: folder.appendingPathComponent("serial"))
        let new = ["req", "-config", "tsa.cnf", "-newkey"] + key + ["-nodes", "-sha256"]
        for command in [
            new + [
                "-x509", "-days", "30", "-subj", "/O=Test/CN=time root", "-extensions", "root", "-keyout", "root.key", "-out", "root.pem",
            ],
            new + ["-subj", "/O=Test/CN=time", "-keyout", "time.key", "-out", "time.csr"],
            [
                "x509", "-req", "-in", "time.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "77", "-days", "20", "-sha256",
                "-extfile", "tsa.cnf", "-extensions", "time", "-out", "time.pem",
            ],
        ] {
            try OpenSSL.run(command, in: folder)
        }
        rootPEM = try String(contentsOf: folder.appendingPathComponent("root.pem"), encoding: .utf8)
        // Opening a server once reserves a free port number.
        port = try LoopbackServer { _ in nil }.port
        try open()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Reopens it after ``close()``.
    public func open(_ behaviour: Behaviour = .answering) throws {
        self.behaviour.withLock { $0 = behaviour }
        let folder = folder
        let new = try LoopbackServer(port: port, contentType: "application/timestamp-reply") { [weak self] query in
            guard let self, self.behaviour.withLock({ $0 }) == .answering else { return (503, []) }
            return Self.reply(to: query, in: folder)
        }
        server.withLock { $0 = new }
    }

    public func close() { server.withLock { $0 = nil } }

    /// The answer to a request, as ``url`` gives it.
    public func answer(to query: [UInt8]) throws -> [UInt8] {
        let reply = Self.reply(to: query, in: folder)
        guard reply.status == 200 else { throw CocoaError(.executableLoad) }
        return reply.body
    }

    /// Signs the content of an answer by `openssl cms`, which does not ask what the certificate is for.
    /// - Parameters:
    ///   - namesCertificate: whether the signer says which certificate is its own, as RFC 3161 asks for.
    ///   - others: certificates that come with its own, each another one, in PEM.
    /// - Returns: a token without an answer around it.
    public func sign(content: [UInt8], namesCertificate: Bool = true, beside others: [String] = []) throws -> [UInt8] {
        try Data(content).write(to: folder.appendingPathComponent("content"))
        try Data(others.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("others.pem"))
        let command = ["cms", "-sign", "-binary", "-nodetach", "-econtent_type", "1.2.840.113549.1.9.16.1.4", "-md", "sha256"]
        let naming = (namesCertificate ? ["-cades"] : []) + (others.isEmpty ? [] : ["-certfile", "others.pem"])
        try OpenSSL.run(
            command + naming + ["-in", "content", "-signer", "time.pem", "-inkey", "time.key", "-outform", "DER", "-out", "token"],
            in: folder)
        return Array(try Data(contentsOf: folder.appendingPathComponent("token")))
    }

    public func lastReply() throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent("reply"))) }

    private static func reply(to query: [UInt8], in folder: URL) -> LoopbackServer.Answer {
        let command = ["ts", "-reply", "-config", "tsa.cnf", "-section", "authority", "-queryfile", "query", "-out", "reply"]
        do {
            try Data(query).write(to: folder.appendingPathComponent("query"))
            try OpenSSL.run(command, in: folder)
            return (200, Array(try Data(contentsOf: folder.appendingPathComponent("reply"))))
        } catch {
            return (500, [])
        }
    }

    private static func configuration(usage: String) throws -> String {
        try String(contentsOf: SharedData.projectRoot.appending(path: "Tests/timestamp-authority.cnf"), encoding: .utf8)
            .replacing("critical,timeStamping", with: usage)
    }
}
