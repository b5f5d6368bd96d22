import ArgumentParser
import CaptureProtocol
import RialClient

/// The parts that the assertion covers (SPEC §2).
enum BindingChoice: String, CaseIterable, ExpressibleByArgument {
    /// Photo, depth and metadata, as our client sends.
    case v2
    case photoDepth = "photo+depth"
    case photo
    /// No assertion at all.
    case none

    /// - Returns: `nil` for ``none``.
    func clientDataHash(photo: PartContent, depth: PartContent, metadata: [UInt8]) throws -> [UInt8]? {
        switch self {
        case .v2:
            return CaptureClientData.hash(
                photo: try photo.digest(), depth: try depth.digest(), metadata: ContentDigest(of: metadata)
            ).bytes
        case .photoDepth: return ContentDigest(of: try PartContent.digest(of: [photo, depth]).bytes).bytes
        case .photo: return try photo.digest().bytes
        case .none: return nil
        }
    }
}
