import ArgumentParser
import ContentCredentials
import Foundation
import Models
import RialClient

/// `rial verify FILE`: what is known of a file, or offline what its Content Credentials say.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Says what is known of a photo or video.",
        discussion: """
            Asks first by the file's SHA-256, and sends the file only if that is unknown. With --offline nothing leaves this machine: \
            the Content Credentials inside the file are checked against --anchors, and no record can be found.
            """)

    @Argument(help: "A JPEG, PNG, HEIC, WebP, AVIF, TIFF, MP4, MOV or .c2pa file.")
    var file: String

    @Flag(help: "Check the Content Credentials here, without a server.")
    var offline = false

    @Option(help: "With --offline: PEM file of certificates that vouch for signers. Default: RIAL_C2PA_TRUST_ANCHORS, if set.")
    var anchors: String?

    @Flag(help: "Do not send the file even if its SHA-256 is unknown.")
    var hashOnly = false

    @Flag(help: "Print the answer as JSON.")
    var json = false

    @OptionGroup var server: ServerOptions

    func validate() throws {
        if offline, hashOnly { throw ValidationError("--offline sends nothing at all: leave out --hash-only") }
        if anchors != nil, !offline { throw ValidationError("--anchors is for --offline: a server has anchors of its own") }
    }

    func run() async throws {
        let url = URL(fileURLWithPath: file)
        let content = try PartContent.file(at: url)
        if offline {
            try readOffline(url)
        } else {
            try await ask(content)
        }
    }

    private func ask(_ content: PartContent) async throws {
        let client = try server.client()
        let digest = try PartContent.digest(of: [content])
        var answer = try await client.verification(of: digest)
        if answer == nil, !hashOnly { answer = try await client.verify(content) }
        guard let answer else {
            Console.result("no record has a file with SHA-256 \(digest.hex)")
            return
        }
        Console.result(json ? try Self.text(of: answer) : VerificationReport(answer: answer).text)
    }

    private func readOffline(_ url: URL) throws {
        let path = anchors ?? ProcessInfo.processInfo.environment["RIAL_C2PA_TRUST_ANCHORS"]
        let pem = try path.map { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw CommandFailure("\(path) cannot be read") }
            return text
        }
        guard let reader = try? CredentialReader(trustAnchorsPEM: pem) else { throw CommandFailure("\(path ?? "") holds no certificates") }
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let report = reader.read(fileDescriptor: handle.fileDescriptor, mediaType: nil)
        Console.result(json ? String(decoding: try WireJSON.encode(report), as: UTF8.self) : CredentialSummary(report: report).text)
    }

    private static func text(of value: JSONValue) throws -> String { String(decoding: try WireJSON.encode(value), as: UTF8.self) }
}
