import CaptureProtocol
import JPEGMetadata
import MediaStore
import Models
import ObjectStorage

/// The photo of a capture, read once and compared with its accepted digest.
struct OriginalPhoto: Sendable {
    let exif: EXIFFields?
    /// `nil` if the photo is missing or not a valid JPEG.
    let publicCopy: PublicCopy?

    /// - Parameter parts: the depth findings contain the EXIF fields, except those of earlier versions, for which they are read from the
    ///   photo.
    /// - Throws: ``RejectedMessage`` if the photo is missing or its digest differs; storage errors unchanged.
    init(of parts: EvidenceParts, in storage: any ObjectStore) async throws {
        guard let original = parts.media.objects[.original] else {
            (exif, publicCopy) = (parts.depth.exif, nil)
            return
        }
        let bytes = try await storage.accepted(original, missing: .originalMissing)
        exif = parts.depth.pictures == nil ? EXIFReader.read(jpeg: Array(bytes.prefix(EXIFReader.headBytes))) : parts.depth.exif
        publicCopy = PublicCopy(of: bytes, exif)
    }
}
