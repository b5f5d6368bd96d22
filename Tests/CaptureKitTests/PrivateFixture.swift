import CaptureKit
import CaptureProtocol
import Foundation

/// Captures in privacy mode of a frame whose photo says more than any setting shares.
enum PrivateFixture {
    struct Phone: DeviceInfo {
        let hardwareIdentifier = "iPhone16,1"
        let hasLiDAR = true
        let systemVersion = "18.6.2"
        let appVersion: String? = "7.3.1"
    }

    /// A photo of 40 kB: the revealing one, with noise at its picture's end.
    static let photo: [UInt8] = {
        let photo = FrameFixture.revealingPhoto
        let end = photo.firstRange(of: [0x17, 0xff, 0xd9]).map { $0.lowerBound + 1 } ?? photo.count
        return photo[..<end] + [UInt8].noise(40_000, seed: 9).filter { $0 != 0xff } + photo[end...]
    }()

    /// A tenth of a room: a wall that steps back in the middle.
    static let plane: DepthPlane? = {
        let noise = [UInt8].noise(64 * 48, seed: 4)
        let metres = (0..<64 * 48).map { index in
            Float32(index % 64 > 20 && index % 64 < 40 ? 1.2 : 3.4) + Float32(noise[index]) / 5000
        }
        return try? DepthPlane(bytes: FrameFixture.bytes(metres), width: 64, height: 48)
    }()

    static func frame(at time: Date = FrameFixture.capturedAt) -> CapturedFrame {
        CapturedFrame(
            jpeg: photo, depth: plane, luma: LumaPlane(pixels: .noise(128 * 96, seed: 5), width: 128, height: 96), capturedAt: time,
            orientation: .up, thumbnail: .noise(400, seed: 6))
    }

    static func capture(
        _ flags: MetadataFlags = .everything, location: PreciseLocation? = FrameFixture.lisbon, at time: Date = FrameFixture.capturedAt
    ) throws -> PrivateCapture {
        let processed = try FrameProcessor(limit: .seconds(60), timeZone: .gmt).process(
            frame(at: time), on: Phone(), location: location, privacy: PrivacySettings(isOn: true, flags: flags))
        guard case .hashOnly(let capture) = processed else { throw CocoaError(.featureUnsupported) }
        return capture
    }
}
