import CaptureProtocol
import JPEGMetadata
import MediaStore
import Models
import ObjectStorage

/// The public copy of a photo: the same image data, not re-encoded, without location, maker notes and serial numbers.
struct PublicCopy: Sendable {
    let bytes: [UInt8]
    /// As displayed, with the EXIF orientation applied; `nil` if EXIF has no size.
    let pixels: PixelSize?
}

extension PublicCopy {
    /// - Returns: `nil` if the photo is not a valid JPEG.
    init?(of photo: [UInt8], _ exif: EXIFFields?) {
        guard let bytes = try? JPEGSegments.publicCopy(of: photo) else { return nil }
        let pixels = exif.flatMap { exif -> PixelSize? in
            guard let width = exif.pixelWidth, let height = exif.pixelHeight else { return nil }
            let upright = EXIFReader.upright((width, height), orientation: exif.orientation)
            return PixelSize(upright.width, upright.height)
        }
        self.init(bytes: bytes, pixels: pixels)
    }
}

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
