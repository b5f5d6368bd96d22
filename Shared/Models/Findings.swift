import CaptureProtocol
import Foundation

/// The status of one check. Only `fail` is held against a capture (SPEC §3).
public enum CheckStatus: String, Codable, Sendable { case pass, fail, inconclusive, unavailable }

/// What `depth-analyzer` found: numbers and verdict, or why there are none, what the photo says of itself, and the pictures it stored.
public struct DepthFindings: Codable, Sendable, Equatable {
    /// `nil` when the capture has no depth; ``unavailableReason`` says why.
    public var measurements: DepthMeasurements?
    public var unavailableReason: StableWord<DepthReason>?
    public var preview: StoredMedia?
    /// What the preview's colours stand for.
    public var previewScale: DepthPreviewScale?
    /// `nil` for what is no JPEG.
    public var exif: EXIFFields?
    /// Made of the photo; empty for one that cannot be decoded. `nil` in findings from when `upload-sync` made them.
    public var pictures: [MediaName: StoredMedia]?

    public init(
        measurements: DepthMeasurements?, unavailableReason: DepthReason? = nil, preview: StoredMedia?,
        previewScale: DepthPreviewScale? = nil, exif: EXIFFields? = nil, pictures: [MediaName: StoredMedia]? = [:]
    ) {
        self.measurements = measurements
        self.unavailableReason = unavailableReason.map(StableWord.init)
        self.preview = preview
        self.previewScale = previewScale
        self.exif = exif
        self.pictures = pictures
    }

    enum CodingKeys: String, CodingKey {
        case measurements
        case unavailableReason = "unavailable_reason"
        case preview, exif, pictures
        case previewScale = "preview_scale"
    }
}

/// What `upload-sync` found in the store, as it was accepted.
public struct MediaFindings: Codable, Sendable, Equatable {
    public var objects: [MediaName: StoredMedia]
    public init(objects: [MediaName: StoredMedia]) { self.objects = objects }
}
