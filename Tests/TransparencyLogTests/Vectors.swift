import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

/// The vectors of `../shared/data/tlog`, with their origins in SOURCES.md there.
enum Vectors {
    static let isPresent = FileManager.default.fileExists(atPath: SharedData.folder.appendingPathComponent("tlog/notes.json").path)
    static let need = "needs ../shared/data/tlog"

    static func bytes(_ name: String) throws -> [UInt8] { Array(try SharedData.data("tlog/\(name)")) }

    static func json<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: try SharedData.data("tlog/\(name)"))
    }
}

extension ContentDigest {
    /// Of 32 bytes in base64 only.
    init?(base64: String) {
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init(bytes: data)
    }
}

/// The code of the error that is thrown; `nil` if none is.
func refusal(_ body: () throws -> Void) -> TransparencyLogError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? TransparencyLogError)?.code
    }
}

/// A key that is the same in every run.
func signer(_ name: String, _ kind: KeyKind = .witness, seed: String? = nil) throws -> SignerKey {
    try SignerKey(name: try #require(TextLine(name)), kind: kind, seed: ContentDigest(of: Array((seed ?? name).utf8)).bytes)
}
