import ArgumentParser
import Crypto
import Models
import RialClient

/// What the hardware signature is to cover (SPEC §2).
enum BindingChoice: String, CaseIterable, ExpressibleByArgument {
    /// Photo, depth and metadata: what our client sends.
    case v2
    case photoDepth = "photo+depth"
    case photo
    /// No assertion at all.
    case none

    /// - Returns: `nil` for ``none``.
    func clientDataHash(photo: PartContent, depth: PartContent, metadata: [UInt8]) throws -> [UInt8]? {
        switch self {
        case .v2:
            var message = Array("rial-capture-v2".utf8) + [0]
            for content in [photo, depth, .bytes(metadata)] { message += try content.digest().bytes }
            return Array(SHA256.hash(data: message))
        case .photoDepth: return Array(SHA256.hash(data: try PartContent.digest(of: [photo, depth]).bytes))
        case .photo: return try photo.digest().bytes
        case .none: return nil
        }
    }
}
