import ArgumentParser
import Foundation
import Signing
import Testing

@testable import RialCLI

@Suite("A signing identity for development")
struct SigningIdentityTests {
    private static let root = "root.pem"
    private static let chain = "certificates.pem"
    private static let key = "private-key.pem"

    @Test("that has run out is renewed, and its root is kept behind the new one")
    func renews() throws {
        try Self.withFolder { folder in
            let old = try Self.expired(in: folder)
            try Self.run(folder)
            let files = try Self.files(folder)
            #expect(Set(files.keys) == [Self.root, Self.chain, Self.key])
            let roots = try #require(files[Self.root])
            #expect(roots.hasSuffix(old.rootPEM) && !roots.hasPrefix(old.rootPEM))
            #expect(roots.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
            let signer = try PEMSigner(
                certificatesPEM: try #require(files[Self.chain]), privateKeyPEM: try #require(files[Self.key]), at: Date())
            #expect(throws: Never.self) { try signer.check() }
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(Self.key).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            try Self.run(folder)
            #expect(try Self.files(folder) == files)
        }
    }

    @Test("that was made in part is made anew")
    func continues() throws {
        try Self.withFolder { folder in
            let old = try Self.expired(in: folder)
            try FileManager.default.removeItem(at: folder.appendingPathComponent(Self.chain))
            try Self.run(folder)
            let files = try Self.files(folder)
            #expect(files.count == 3 && files[Self.root]?.hasSuffix(old.rootPEM) == true)
        }
    }

    @Test("is left alone where a file cannot be understood", arguments: [root, chain, key], ["", "damaged\n"])
    func refuses(name: String, text: String) throws {
        try Self.withFolder { folder in
            _ = try Self.expired(in: folder)
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            let files = try Self.files(folder)
            let failure = #expect(throws: CommandFailure.self) { try Self.run(folder) }
            #expect(failure?.description.contains(name) == true)
            #expect(try Self.files(folder) == files)
        }
    }

    /// Writes an identity of two years ago.
    private static func expired(in folder: URL) throws -> DevelopmentAuthority.Identity {
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, now: Date(timeIntervalSinceNow: -2 * 365 * 86_400))
        for (name, text) in [(root, identity.rootPEM), (chain, identity.chainPEM), (key, identity.privateKeyPEM)] {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        return identity
    }

    private static func run(_ folder: URL) throws { try AdminSigningIdentity.parse(["--out", folder.path]).run() }

    private static func files(_ folder: URL) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)) })
    }

    private static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
