import CaptureProtocol
import Imaging
import MediaStore
import Models
import ObjectStorage

/// A photo as everyone may have it: not decoded, without place, maker notes and serial numbers.
struct PublicCopy: Sendable {
    let bytes: [UInt8]
    /// Upright.
    let pixels: PixelSize?

    /// - Returns: `nil` for a photo that is no sound JPEG.
    init?(of photo: [UInt8], _ exif: EXIFFields?) {
        guard let bytes = try? JPEGSegments.publicCopy(of: photo) else { return nil }
        self.bytes = bytes
        pixels = exif.flatMap { exif in
            guard let width = exif.pixelWidth, let height = exif.pixelHeight else { return nil }
            let upright = EXIFReader.upright((width, height), orientation: exif.orientation)
            return PixelSize(upright.width, upright.height)
        }
    }
}

/// The photo of a capture, read once and compared with what was accepted.
struct OriginalPhoto: Sendable {
    let exif: EXIFFields?
    /// `nil` for what is no sound JPEG.
    let publicCopy: PublicCopy?

    /// - Parameter depth: has what the photo says of itself, unless it is of before that was kept.
    /// - Throws: ``RejectedMessage`` if the photo is no more, or is other bytes; storage errors as they are.
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
