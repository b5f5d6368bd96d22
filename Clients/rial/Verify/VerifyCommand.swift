import ArgumentParser
import CaptureKit
import CaptureProtocol
import ContentCredentials
import Foundation
import Models
import RialClient
import ServiceRuntime

/// `rial verify FILE`: shows the server's record of a file, or its Content Credentials offline; with an evidence bundle, what that proves.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Shows what is known of a photo or video.",
        discussion: """
            Asks the server for the file's SHA-256 first, and sends the file only if that is unknown. With --offline nothing is sent: \
            only the Content Credentials in the file are checked, against --anchors and --own-anchors.

            With --bundle an evidence bundle (.rial) is verified against a policy, together with the files, and again nothing is sent. Exit \
            code 0: proved. 1: something is wrong, or the verdict was taken back. 2: no bundle, or the command cannot be carried out. \
            3: sound, but not proved by this policy and these anchors.
            """)

    @Argument(help: "JPEG, PNG, HEIC, WebP, AVIF, TIFF, MP4, MOV or .c2pa files: one, or with --bundle any number.")
    var files: [String] = []

    @Option(help: "An evidence bundle (.rial) to verify.")
    var bundle: String?

    @Option(help: "With --bundle: file with the policy that says which logs and witnesses are trusted (c2sp.org/tlog-policy).")
    var policy: String?

    @Option(help: "With --bundle: PEM file of roots of attestations that are trusted beside Apple's.")
    var attestRoots: String?

    @Flag(help: "Check the Content Credentials without a server.")
    var offline = false

    @Option(help: "With --offline: PEM file of certificates that vouch for signers. Default: RIAL_C2PA_TRUST_ANCHORS, if set.")
    var anchors: String?

    @Option(help: "With --offline: PEM file of certificates that vouch for rial.'s own signers. Default: RIAL_C2PA_OWN_ANCHORS, if set.")
    var ownAnchors: String?

    @Option(
        help:
            "With --offline or --bundle: PEM file of certificates that vouch for time-stamp authorities. Default with --offline: RIAL_C2PA_TIMESTAMP_ANCHORS, if set."
    )
    var timestampAnchors: String?

    @Flag(help: "Do not send the file even if its SHA-256 is unknown.")
    var hashOnly = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup var server: ServerOptions

    func validate() throws {
        guard bundle == nil else { return }
        guard files.count == 1 else { throw ValidationError("Give one file, or an evidence bundle with --bundle.") }
        for (name, value) in [("policy", policy), ("attest-roots", attestRoots)] where value != nil {
            throw ValidationError("--\(name) is for --bundle.")
        }
        if offline, hashOnly { throw ValidationError("--offline sends nothing at all: leave out --hash-only.") }
        for (name, value) in [("anchors", anchors), ("own-anchors", ownAnchors), ("timestamp-anchors", timestampAnchors)] {
            if value != nil, !offline { throw ValidationError("--\(name) is for --offline: a server has anchors of its own.") }
        }
    }

    func run() async throws {
        if let bundle { return try await BundleVerification(self, bundle: bundle).run() }
        let file = files[0]
        let url = URL(fileURLWithPath: file)
        let content = try PartContent.file(at: url)
        guard content.sizeBytes > 0 else { throw CommandFailure("\(file) is empty: there is nothing to verify.") }
        if offline {
            try readOffline(url)
        } else {
            Console.result(try await answer(on: content, from: try server.client()), isJSON: json)
        }
    }

    /// What the server knows of a file, as it is printed.
    func answer(on content: PartContent, from client: APIClient) async throws -> String {
        let digest = try await content.digest()
        var answer = try await client.verification(of: digest)
        if answer == nil, !hashOnly { answer = try await client.verify(content) }
        guard let answer else {
            let unknown = JSONValue.object(["status": .string("no_record"), "file_hash": .string(digest.hex)])
            return json ? try Self.text(of: unknown) : "no record has a file with SHA-256 \(digest.hex)"
        }
        return json ? try Self.text(of: answer) : VerificationReport(answer: answer).text
    }

    private func readOffline(_ url: URL) throws {
        let reader = try credentialReader()
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let report = reader.read(fileDescriptor: handle.fileDescriptor, mediaType: nil, at: .now)
        Console.result(
            json
                ? String(decoding: try WireJSON.encode(report), as: UTF8.self)
                : CredentialSummary(report: report, isManifestAlone: Self.isManifest(handle)).text, isJSON: json)
    }

    /// - Throws: ``CommandFailure``, `SettingsError`.
    func credentialReader(_ environment: ServiceEnvironment = ServiceEnvironment()) throws -> CredentialReader {
        do {
            return try CredentialReader(
                trustAnchorsPEM: Self.certificates(anchors, "RIAL_C2PA_TRUST_ANCHORS", environment),
                ownAnchorsPEM: Self.certificates(ownAnchors, "RIAL_C2PA_OWN_ANCHORS", environment),
                timestampAnchorsPEM: Self.certificates(timestampAnchors, "RIAL_C2PA_TIMESTAMP_ANCHORS", environment))
        } catch is CredentialError {
            throw CommandFailure("The anchors are not certificates.")
        }
    }

    /// - Parameter path: the option's value; `nil` to use the environment variable.
    private static func certificates(_ path: String?, _ variable: String, _ environment: ServiceEnvironment) throws -> String? {
        let value = try path ?? environment.optional(variable)
        return try value.flatMap { $0.isEmpty ? nil : $0 }.map { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw CommandFailure("\(path) cannot be read.") }
            return text
        }
    }

    private static func isManifest(_ file: FileHandle) -> Bool {
        guard (try? file.seek(toOffset: 0)) != nil, let prefix = try? file.read(upToCount: MediaFormat.prefixBytes) else { return false }
        return MediaFormat.sniff(Array(prefix)) == .manifest
    }

    private static func text(of value: JSONValue) throws -> String { String(decoding: try WireJSON.encode(value), as: UTF8.self) }
}
