public import CaptureProtocol

/// The findings of `depth-analyzer`: measurements and verdict or the reason for their absence, the photo's EXIF fields, and the stored
/// pictures.
public struct DepthFindings: Codable, Sendable, Equatable {
    /// `nil` when the capture has no depth; ``unavailableReason`` says why.
    public var measurements: DepthMeasurements?
    /// The measurements of a video; `nil` for a photo.
    public var temporal: VideoDepthMeasurements?
    public var unavailableReason: StableWord<DepthReason>?
    public var preview: StoredMedia?
    /// The distances that the preview's colours represent.
    public var previewScale: DepthPreviewScale?
    /// `nil` if the file is not a JPEG.
    public var exif: EXIFFields?
    /// Pictures derived from the photo; empty if it cannot be decoded. `nil` in findings of versions in which `upload-sync` made them.
    public var pictures: [MediaName: StoredMedia]?

    public init(
        measurements: DepthMeasurements?, temporal: VideoDepthMeasurements? = nil, unavailableReason: DepthReason? = nil,
        preview: StoredMedia?,
        previewScale: DepthPreviewScale? = nil, exif: EXIFFields? = nil, pictures: [MediaName: StoredMedia]? = [:]
    ) {
        self.measurements = measurements
        self.temporal = temporal
        self.unavailableReason = unavailableReason.map(StableWord.init)
        self.preview = preview
        self.previewScale = previewScale
        self.exif = exif
        self.pictures = pictures
    }

    /// `nil` when the capture has no depth.
    public var verdict: DepthVerdict? { measurements?.verdict ?? temporal?.verdict }

    enum CodingKeys: String, CodingKey {
        case measurements, temporal
        case unavailableReason = "unavailable_reason"
        case preview, exif, pictures
        case previewScale = "preview_scale"
    }
}
