import ArgumentParser
import Foundation
import Secrets
import ServiceRuntime
import Signing
import TransparencyLog

/// Shows the verifier key of a shard, from its private key; makes a new one if asked to.
struct LogKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Shows the verifier key of a shard of the public log.",
        discussion: """
            Reads RIAL_PUBLIC_URL, whose host begins the shard's origin, and the private key: RIAL_LOG_PRIVATE_KEY, or the \
            RIAL_LOG_PKCS11_ variables. One key is for one shard, ever.
            """)

    @Option(help: "The shard's name, usually the year: a-z, 0-9 and -, at most 32.")
    var shard: String

    @Option(help: "Make a new key in this file, unless it exists, and show that one's.")
    var new: String?

    func run() throws {
        let environment = ServiceEnvironment()
        let origin = try LogOrigin.make(environment, shard: shard)
        let key = try new.map(made) ?? LogKeyReader.signer(environment)
        Console.result("\(try VerifierKey(name: origin, kind: .log, publicKey: key.publicKey))")
    }

    private func made(_ path: String) throws -> any MessageSigner {
        if !FileManager.default.fileExists(atPath: path) {
            let text = Data(try PEMMessageSigner.newKey().utf8)
            guard FileManager.default.createFile(atPath: path, contents: text, attributes: [.posixPermissions: 0o600]) else {
                throw ValidationError("\(path) cannot be written")
            }
        }
        return try PEMMessageSigner(privateKeyPEM: try String(contentsOfFile: path, encoding: .utf8))
    }
}

/// What a log calls itself: the installation's host, and the shard.
enum LogOrigin {
    static func make(_ environment: ServiceEnvironment, shard: String) throws -> TextLine {
        guard isShard(shard) else { throw ValidationError("a shard's name is a-z, 0-9 and -, at most 32 of them, not “\(shard)”") }
        guard let host = try environment.requiredURL("RIAL_PUBLIC_URL").host(), let origin = TextLine("\(host)/log/\(shard)"),
            origin.isKeyName
        else { throw ValidationError("RIAL_PUBLIC_URL has no host that can name a log") }
        return origin
    }

    /// The shard that a key with this name can be opened as.
    /// - Returns: `nil` if the name is no origin, whatever `RIAL_PUBLIC_URL` is.
    static func shard(in name: TextLine) -> String? {
        let parts = name.text.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, isHost(parts[0]), parts[1] == "log", isShard(parts[2]) else { return nil }
        return parts[2]
    }

    private static func isShard(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
    }

    /// Whether an address has this host, which is without its port and, of IPv6, without the brackets.
    private static func isHost(_ host: String) -> Bool {
        if host.contains(":") {
            return host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." } && URL(string: "https://[\(host)]")?.host() == host
        }
        return !host.isEmpty && URL(string: "https://\(host)")?.host() == host
    }
}

/// The log's private key, by the settings of the service.
enum LogKeyReader {
    /// - Throws: `SettingsError` if neither a file nor a token is given, or both.
    static func signer(_ environment: ServiceEnvironment) throws -> any MessageSigner {
        let settings = try SigningKeySettings(
            environment, file: "RIAL_LOG_PRIVATE_KEY", module: "RIAL_LOG_PKCS11_MODULE", token: "RIAL_LOG_PKCS11_TOKEN",
            pin: "RIAL_LOG_PKCS11_PIN", keyLabel: "RIAL_LOG_PKCS11_KEY")
        switch settings.key {
        case .pem(let key): return try PEMMessageSigner(privateKeyPEM: key.value)
        case .token(let module, let label, let pin, let keyLabel):
            return try PKCS11MessageSigner(module: module, tokenLabel: label, pin: pin, keyLabel: keyLabel)
        }
    }
}
