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
}
