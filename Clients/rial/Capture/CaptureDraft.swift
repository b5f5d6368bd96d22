import Foundation
import RialClient

/// A capture before it is described and signed.
struct CaptureDraft {
    let photo: PartContent
    let depthMap: PartContent
    let depthWidth: Int
    let depthHeight: Int
    let capturedAt: Date
    let location: CaptureDescription.Location?

    /// Describes the capture and lets the device's hardware key sign it.
    func upload(model: String, binding: BindingChoice, session: DeviceSession) async throws -> CaptureUpload {
        let description = CaptureDescription(
            capturedAt: capturedAt, deviceModel: model, photoHash: try photo.digest(), depthWidth: depthWidth,
            depthHeight: depthHeight, location: location)
        let metadata = try description.bytes()
        var assertion: [UInt8]?
        if let hash = try binding.clientDataHash(photo: photo, depth: depthMap, metadata: metadata) {
            assertion = try await session.assertion(clientDataHash: hash)
        }
        return CaptureUpload(photo: photo, depthMap: depthMap, metadata: metadata, assertion: assertion)
    }
}
