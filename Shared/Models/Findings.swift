import CaptureProtocol
import Foundation

/// The status of one check. Only `fail` is held against a capture (SPEC §3).
public enum CheckStatus: String, Codable, Sendable { case pass, fail, inconclusive, unavailable }

/// What `depth-analyzer` found: numbers and verdict, or why there are none, and the preview picture it stored.
public struct DepthFindings: Codable, Sendable, Equatable {
    /// `nil` when the capture has no depth; ``unavailableReason`` says why.
    public var measurements: DepthMeasurements?
    public var unavailableReason: StableWord<DepthReason>?
    public var preview: StoredMedia?
    /// What the preview's colours stand for.
    public var previewScale: DepthPreviewScale?

    public init(
        measurements: DepthMeasurements?, unavailableReason: DepthReason? = nil, preview: StoredMedia?,
        previewScale: DepthPreviewScale? = nil
    ) {
        self.measurements = measurements
        self.unavailableReason = unavailableReason.map(StableWord.init)
        self.preview = preview
        self.previewScale = previewScale
    }

    enum CodingKeys: String, CodingKey {
        case measurements
        case unavailableReason = "unavailable_reason"
        case preview
        case previewScale = "preview_scale"
    }
}

/// What `upload-sync` stored.
public struct MediaFindings: Codable, Sendable, Equatable {
    public var objects: [MediaName: StoredMedia]
    public init(objects: [MediaName: StoredMedia]) { self.objects = objects }
}
