import CaptureProtocol
import Foundation
import Models

/// The body of a photo capture whose parts are valid and consistent, ready to be recorded.
struct PhotoSubmission: MediaSubmitting {
    let content: PhotoContent
    let metadataBytes: [UInt8]
    let metadata: CaptureMetadata
    let assertion: [UInt8]?
    let detection: DetectionReport?

    /// Checks parts, metadata, depth and digests, in that order (SPEC §2).
    init(_ body: PhotoParts.Received) throws(CaptureError) {
        guard let photo = body.photo, photo.sizeBytes > 0 else { throw .invalid(part: .photo, "is missing") }
        guard let depth = body.depth, depth.sizeBytes > 0 else { throw .invalid(part: .depthMap, "is missing") }
        guard body.small.has(.metadata) else { throw .invalid(part: .metadata, "is missing") }
        guard body.isJPEG else { throw .invalid(part: .photo, "is not a JPEG", .mediaType) }
        let bytes = try body.small.bytes(of: .metadata, atMost: SizeLimits.metadata, .metadata) ?? []
        do {
            metadata = try CaptureMetadata.parse(bytes)
        } catch {
            // An assertion that is not base64 has its own error code.
            throw .invalid(error.field, error.problem, error.isOfAssertion ? .assertion : .metadata)
        }
        metadataBytes = bytes
        assertion = try body.small.assertion(orInMetadata: metadata.assertion)
        detection = try body.small.detection()
        guard let inflated = body.depthBytes else {
            throw .invalid(part: .depthMap, "is not gzip, zlib or DEFLATE of at most 1024 × 1024 values", .depth)
        }
        guard inflated == metadata.depthWidth * metadata.depthHeight * 4 else {
            throw .invalid(
                part: .depthMap, "has \(inflated) bytes, not \(metadata.depthWidth) × \(metadata.depthHeight) × 4", .depth)
        }
        guard metadata.photoHash == photo.sha256 else {
            throw .invalid("photo_hash", "is not the photo's SHA-256", .metadata)
        }
        content = PhotoContent(
            photo: photo, depth: depth, photoThenDepth: body.photoThenDepth, depthWidth: metadata.depthWidth,
            depthHeight: metadata.depthHeight)
    }

    var kept: [(name: MediaName, bytes: [UInt8])] { [(.metadata, metadataBytes)] }

    func capture(_ id: CaptureID, device: DeviceID, receivedAt: Date) -> NewCapture {
        NewCapture(
            announcement: CaptureAnnouncement(
                captureID: id, deviceID: device, content: .photo(content), metadata: metadataBytes, assertion: assertion,
                receivedAt: receivedAt),
            mediaHash: content.photo.sha256, depthHash: content.depth.sha256, assertionHash: assertion.map { ContentDigest(of: $0) },
            capturedAt: .exact(metadata.capturedAt), flags: nil, location: metadata.location, detection: detection)
    }
}
