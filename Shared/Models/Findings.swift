import CaptureProtocol
import Foundation

/// The status of one check. Only `fail` is held against a capture (SPEC §3).
public enum CheckStatus: String, Codable, Sendable { case pass, fail, inconclusive, unavailable }

/// What `attestation-verifier` found out about the device and the assertion of one capture.
public struct AttestationFindings: Codable, Sendable, Equatable {
    /// `pass`, `fail` or `unavailable`.
    public var status: CheckStatus
    public var level: AttestationLevel
    /// App Attest environment the key was attested in: `production` or `development`; `nil` for an unverified device.
    public var environment: String?
    /// True if the device's chain ends at a root that only this installation trusts.
    public var isDevelopmentAttestation: Bool
    /// The model given at registration.
    public var deviceModel: String
    /// Whether the device said at registration that it has a LiDAR sensor; `nil` in findings from before that was kept.
    public var hasLiDAR: Bool?
    /// What the assertion that verified covers, also if the device or the binding is not accepted; `nil` without one.
    public var binding: AssertionBinding?
    public var counter: UInt32?
    /// A counter below one seen before: an offline queue arrived late. Not held against the capture.
    public var outOfOrder: Bool?
    /// For anything but `pass`.
    public var reason: StableWord<HardwareReason>?

    public init(
        status: CheckStatus, level: AttestationLevel, environment: String?, isDevelopmentAttestation: Bool, deviceModel: String,
        hasLiDAR: Bool? = nil, binding: AssertionBinding? = nil, counter: UInt32? = nil, outOfOrder: Bool? = nil,
        reason: HardwareReason? = nil
    ) {
        self.status = status
        self.level = level
        self.environment = environment
        self.isDevelopmentAttestation = isDevelopmentAttestation
        self.deviceModel = deviceModel
        self.hasLiDAR = hasLiDAR
        self.binding = binding
        self.counter = counter
        self.outOfOrder = outOfOrder
        self.reason = reason.map(StableWord.init)
    }

    enum CodingKeys: String, CodingKey {
        case status, level, environment
        case isDevelopmentAttestation = "development_attestation"
        case deviceModel = "device_model"
        case hasLiDAR = "has_lidar"
        case binding, counter
        case outOfOrder = "out_of_order"
        case reason
    }
}

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
