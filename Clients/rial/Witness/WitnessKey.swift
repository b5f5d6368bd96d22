import ArgumentParser
import CaptureKit
import Crypto
import Foundation
import TransparencyLog

/// Makes a witness's key.
struct WitnessKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Makes a witness's key in a file, unless it exists, and shows its verifier key.",
        discussion: "The key is for one name, for ever: its name is in no cosignature, so a key with two names vouches for both.")

    @Option(help: "The witness's name: a host and path of yours, as witness.example/w1.")
    var name: String
    @Option(help: "The file with the private key.")
    var out: String

    func run() throws {
        if !FileManager.default.fileExists(atPath: out) { try make() }
        Console.result("\(try WitnessKeyFile.read(out, name: name).verifier)")
    }

    private func make() throws {
        let seed = Array(Curve25519.Signing.PrivateKey().rawRepresentation)
        let key = try SignerKey(name: try WitnessKeyFile.name(name), kind: .witness, seed: seed)
        do {
            let file = try PosixFiles().create(out)
            try file.write(Array((key.text + "\n").utf8))
            try file.sync()
            try PosixFiles().syncFolder(URL(fileURLWithPath: out).deletingLastPathComponent().path)
        } catch {
            throw CommandFailure("\(out) cannot be written (\(error)).")
        }
    }
}

/// A file with a witness's private key, in the form of Go's sumdb/note.
enum WitnessKeyFile {
    private static let maximumBytes = 4096

    /// - Throws: ``CommandFailure`` if there is none, or one of another name or kind.
    static func read(_ path: String, name: String) throws -> SignerKey {
        let bytes: [UInt8]
        do { bytes = try PosixFiles().open(path).read(maximumBytes, at: 0) } catch {
            throw CommandFailure("The key file \(path) cannot be read (\(error)).")
        }
        let text = bytes.last == 0x0a ? bytes.dropLast() : bytes[...]
        guard let key = try? SignerKey(String(decoding: text, as: UTF8.self)), key.verifier.kind == .witness else {
            throw CommandFailure("\(path) is not a witness's key.")
        }
        guard key.verifier.name == (try self.name(name)) else {
            throw CommandFailure("\(path) is the key of \(key.verifier.name): a key has one name.")
        }
        return key
    }

    static func name(_ text: String) throws -> TextLine {
        guard let name = TextLine(text), name.isKeyName else {
            throw ValidationError("a witness's name has no spaces, plus signs or control characters")
        }
        return name
    }
}
