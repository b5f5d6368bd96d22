import CaptureKit
import CaptureProtocol
import Foundation
import Models

/// A capture before its metadata is written and signed.
struct CaptureDraft {
    let photo: PartContent
    let depthMap: PartContent
    let depthWidth: Int
    let depthHeight: Int
    let capturedAt: Date
    let location: PreciseLocation?

    /// The capture for the device library's store.
    func content(model: String) async throws -> FileCapture {
        FileCapture(
            photo: try await photo.bytes(), depth: try await depthMap.bytes(), depthWidth: depthWidth, depthHeight: depthHeight,
            capturedAt: capturedAt, model: model, location: location)
    }

    /// Writes the metadata and signs the capture with the device's hardware key.
    func upload(model: String, binding: BindingChoice, session: DeviceSession) async throws -> CaptureUpload {
        let metadata = try WireJSON.encode(
            CaptureMetadata(
                capturedAt: capturedAt, deviceModel: model, photoHash: try await photo.digest(), depthWidth: depthWidth,
                depthHeight: depthHeight, location: location, nonce: CaptureNonce.random()))
        var assertion: [UInt8]?
        if let hash = try await binding.clientDataHash(photo: photo, depth: depthMap, metadata: metadata) {
            assertion = try await session.assertion(clientDataHash: hash)
        }
        return CaptureUpload(
            boundary: MultipartBody.randomBoundary(), photo: photo, depthMap: depthMap, metadata: metadata, assertion: assertion)
    }
}

extension PartContent {
    /// The whole content, of a file that fits into a capture.
    /// - Throws: ``CommandFailure`` for a larger one; errors of reading.
    fileprivate func bytes() async throws -> [UInt8] {
        guard sizeBytes <= Int64(SizeLimits.capture) else {
            throw CommandFailure("A capture has at most \(SizeLimits.capture >> 20) MiB; this file has \(sizeBytes) bytes.")
        }
        let reader = try makeReader()
        var bytes: [UInt8] = []
        while let piece = try await reader.next() { bytes += piece }
        return bytes
    }
}
