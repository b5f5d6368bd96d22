import CaptureProtocol
import Models

/// Compares the photo's size with those of its model, in either orientation (SPEC §3). Never `fail`: a photo may have been cropped.
enum ResolutionCheck {
    static func result(_ exif: EXIFFields?, claimed: String) -> MetadataCheck<ResolutionReason> {
        guard let width = exif?.pixelWidth, let height = exif?.pixelHeight else {
            return MetadataCheck(.unavailable, reason: .sizeUnknown)
        }
        guard let model = exif?.model.flatMap(IPhoneModels.find) ?? IPhoneModels.find(claimed) else {
            return MetadataCheck(.unavailable, reason: .modelUnknown)
        }
        let isKnown = model.photoSizes.contains(PhotoSize(width, height))
        return isKnown ? MetadataCheck(.pass) : MetadataCheck(.unavailable, reason: .sizeNotInTable)
    }

    /// Sizes that these devices record, longer side first (SPEC §10.4).
    private static let videoSizes: Set<PhotoSize> = [
        PhotoSize(1280, 720), PhotoSize(1920, 1080), PhotoSize(1920, 1440), PhotoSize(3840, 2160),
    ]

    static func result(_ file: MovieFacts) -> MetadataCheck<ResolutionReason> {
        videoSizes.contains(PhotoSize(file.width, file.height))
            ? MetadataCheck(.pass) : MetadataCheck(.unavailable, reason: .sizeNotInTable)
    }
}
