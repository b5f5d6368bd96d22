public import CaptureProtocol
public import Foundation
public import Models

/// Hash-only captures as a device describes them.
public enum HashOnlySamples {
    public static let mediaHash = ContentDigest(of: [7])
    /// 2026-11-21 06:00:00 UTC.
    public static let receipt = Date(timeIntervalSince1970: 1_795_240_800)
    public static let model = "iPhone 15 Pro"

    /// A scene with relief.
    public static let depth = SignedDepth(
        depthVariance: 0.61, depthLayers: 4, edgeCoherence: 0.72, minDepth: 0.8, maxDepth: 4.1, relief: 0.55, reliefFront: 0.3,
        reliefBehind: 0.25, photoEdgesOnSurface: 0.4, coverage: 0.97, reason: nil)

    /// Taken five seconds before ``receipt`` in Lyon.
    public static func payload(
        sharing flags: MetadataFlags = .everything, capturedAt: Date = receipt.addingTimeInterval(-5),
        location: PreciseLocation? = PreciseLocation(latitude: 45.764043, longitude: 4.835659, altitude: 173, accuracy: 5),
        model: String = model, depth: SignedDepth? = depth
    ) -> HashOnlyPayload {
        HashOnlyPayload(
            mediaHash: mediaHash,
            facts: HashOnlyPayload.Facts(
                capturedAt: capturedAt, location: location, deviceModel: model, osVersion: "26.1", appVersion: "1.0.0"),
            sharing: flags, depth: depth)
    }

    /// As the gateway announces it.
    public static func announcement(
        _ payload: HashOnlyPayload = payload(), by device: DeviceID = DeviceID(), assertion: [UInt8]? = nil
    ) throws -> CaptureAnnouncement {
        CaptureAnnouncement(
            captureID: CaptureID(), deviceID: device, content: .hashOnly(payload), metadata: try payload.bytes(), assertion: assertion,
            receivedAt: receipt)
    }
}
