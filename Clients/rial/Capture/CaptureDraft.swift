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

    /// Writes the metadata and signs the capture with the device's hardware key.
    func upload(model: String, binding: BindingChoice, session: DeviceSession) async throws -> CaptureUpload {
        let metadata = try WireJSON.encode(
            CaptureMetadata(
                capturedAt: capturedAt, deviceModel: model, photoHash: try await photo.digest(), depthWidth: depthWidth,
                depthHeight: depthHeight, location: location))
        var assertion: [UInt8]?
        if let hash = try await binding.clientDataHash(photo: photo, depth: depthMap, metadata: metadata) {
            assertion = try await session.assertion(clientDataHash: hash)
        }
        return CaptureUpload(
            boundary: MultipartBody.randomBoundary(), photo: photo, depthMap: depthMap, metadata: metadata, assertion: assertion)
    }
}
