import ArgumentParser
import CaptureKit
import CaptureProtocol

/// The parts that the assertion covers (SPEC §2).
enum BindingChoice: String, CaseIterable, ExpressibleByArgument {
    /// Photo, depth and metadata, as our client sends.
    case v2
    case photoDepth = "photo+depth"
    case photo
    /// No assertion at all.
    case none

    /// - Returns: `nil` for ``none``.
    func clientDataHash(photo: PartContent, depth: PartContent, metadata: [UInt8]) async throws -> [UInt8]? {
        switch self {
        case .v2:
            return CaptureClientData.hash(
                photo: try await photo.digest(), depth: try await depth.digest(), metadata: ContentDigest(of: metadata)
            ).bytes
        case .photoDepth: return ContentDigest(of: try await PartContent.digest(of: [photo, depth]).bytes).bytes
        case .photo: return try await photo.digest().bytes
        case .none: return nil
        }
    }
}
