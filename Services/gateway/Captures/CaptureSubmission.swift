import Attestation
import CaptureProtocol
import Foundation
import Models

/// A received body whose parts are valid and consistent, ready to be recorded.
struct CaptureSubmission: Sendable {
    let content: PhotoContent
    let metadataBytes: [UInt8]
    let metadata: CaptureMetadata
    let assertion: [UInt8]?
    let detection: DetectionReport?

    /// Checks parts, metadata, depth and digests, in that order (SPEC §2).
    init(_ body: ReceivedBody) throws(CaptureError) {
        guard let photo = body.photo, photo.sizeBytes > 0 else { throw .invalid("photo", "is missing") }
        guard let depth = body.depth, depth.sizeBytes > 0 else { throw .invalid("depth_map", "is missing") }
        guard body.metadata != nil || body.oversized.contains("metadata") else { throw .invalid("metadata", "is missing") }
        guard body.isJPEG else { throw .invalid("photo", "is not a JPEG", .mediaType) }
        guard let bytes = body.metadata, !body.oversized.contains("metadata") else {
            throw .invalid("metadata", "is larger than \(SizeLimits.metadata >> 10) KiB", .metadata)
        }
        do {
            metadata = try CaptureMetadata.parse(bytes)
        } catch {
            // An assertion that is not base64 has its own error code.
            throw .invalid(error.field, error.problem, error.field == "assertion" ? .assertion : .metadata)
        }
        metadataBytes = bytes
        assertion = try Self.assertion(body, metadata)
        detection = try Self.detection(body)
        guard let inflated = body.depthBytes else {
            throw .invalid("depth_map", "is not gzip, zlib or DEFLATE of at most 1024 × 1024 values", .depth)
        }
        guard inflated == metadata.depthWidth * metadata.depthHeight * 4 else {
            throw .invalid(
                "depth_map", "has \(inflated) bytes, not \(metadata.depthWidth) × \(metadata.depthHeight) × 4", .depth)
        }
        guard metadata.photoHash == photo.sha256 else {
            throw .invalid("photo_hash", "is not the photo's SHA-256", .metadata)
        }
        content = PhotoContent(
            photo: photo, depth: depth, photoThenDepth: body.photoThenDepth, depthWidth: metadata.depthWidth,
            depthHeight: metadata.depthHeight)
    }

    /// The assertion part, or else the metadata field; `nil` without both. Must be CBOR.
    private static func assertion(_ body: ReceivedBody, _ metadata: CaptureMetadata) throws(CaptureError) -> [UInt8]? {
        guard let bytes = body.assertion ?? metadata.assertion else { return nil }
        guard !body.oversized.contains("assertion"), bytes.count <= SubmittedAssertion.maximumBytes,
            (try? CBOR.decode(bytes[...])) != nil
        else { throw .invalid("assertion", "is not CBOR of an assertion's size", .assertion) }
        return bytes
    }

    private static func detection(_ body: ReceivedBody) throws(CaptureError) -> DetectionReport? {
        guard let bytes = body.detection else { return nil }
        guard !body.oversized.contains("detection") else { throw .invalid("detection", "is larger than \(SizeLimits.metadata >> 10) KiB") }
        do {
            return try DetectionReport(parsing: bytes)
        } catch {
            throw .invalid(error.field, error.problem)
        }
    }
}
