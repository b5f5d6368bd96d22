public import CaptureProtocol
import Compression
import Depth
public import Foundation
import JPEGMetadata

/// Makes of the camera's frames what is stored and uploaded: EXIF is written without touching the picture, the depth map is compressed.
///
/// A frame takes some tens of milliseconds of one core: call it away from the main actor. Any number of frames may be processed at once.
public struct FrameProcessor: Sendable {
    /// Of photo and depth map together: metadata and assertion, which are smaller than this leaves, have to fit into the body, too.
    private static let mostBytes = SizeLimits.capture - 2 * SizeLimits.metadata

    /// How long a frame may take; looked at between the steps, so that a frame may take a step longer.
    public let limit: Duration
    private let timeZone: TimeZone

    /// - Parameter timeZone: of the times in EXIF.
    public init(limit: Duration = .seconds(1), timeZone: TimeZone = .autoupdatingCurrent) {
        self.limit = limit
        self.timeZone = timeZone
    }

    /// Processes a frame that is sent.
    /// - Parameters:
    ///   - deviceModel: 1 to 100 characters, such as ``DeviceSupport/modelName``.
    ///   - location: stated in the metadata, never in the photo; `nil` states none. One that is not on Earth counts as none.
    /// - Throws: ``FrameError``.
    public func process(
        _ frame: CapturedFrame, deviceModel: String, location: PreciseLocation?
    ) throws(FrameError) -> ProcessedFrame {
        try sendable(try processed(frame, deviceModel, location))
    }

    /// Processes a frame in the mode that its person chose. In privacy mode the depth map is measured here.
    /// - Parameters:
    ///   - device: this one; of what it says of itself the settings share a part.
    ///   - location: `nil` without a fix. The photo has it in neither mode.
    ///   - privacy: as they were at the shutter (``PrivacySettingsStore``).
    /// - Throws: ``FrameError``.
    public func process(
        _ frame: CapturedFrame, on device: some DeviceInfo, location: PreciseLocation?, privacy: PrivacySettings
    ) throws(FrameError) -> ProcessedCapture {
        let start = ContinuousClock.now
        let full = try processed(frame, DeviceSupport(device).modelName, location)
        guard privacy.isOn else { return .full(try sendable(full)) }
        guard let plane = frame.depth else { throw .noDepthData }
        let measurements: SignedDepth
        do throws(DepthError) {
            measurements = try plane.measurements(luma: frame.luma, orientation: frame.orientation)
        } catch {
            throw .depthAnalysisFailed(error.description)
        }
        try checkTime(since: start)
        let facts = HashOnlyPayload.Facts(
            capturedAt: full.capturedAt, location: full.location, deviceModel: full.deviceModel, osVersion: device.systemVersion,
            appVersion: device.appVersion)
        return .hashOnly(
            PrivateCapture(
                photo: full.photo, depth: full.depth, depthWidth: full.depthWidth, depthHeight: full.depthHeight, facts: facts,
                flags: privacy.flags, measurements: measurements, thumbnail: full.thumbnail))
    }

    private func processed(
        _ frame: CapturedFrame, _ deviceModel: String, _ location: PreciseLocation?
    ) throws(FrameError) -> ProcessedFrame {
        guard let plane = frame.depth else { throw .noDepthData }
        let start = ContinuousClock.now
        let photo = try photo(of: frame, deviceModel)
        try checkTime(since: start)
        let depth = try compressed(plane)
        try checkTime(since: start)
        return ProcessedFrame(
            photo: photo, depth: depth, depthWidth: plane.width, depthHeight: plane.height, capturedAt: frame.capturedAt,
            deviceModel: deviceModel, location: location?.onEarth, nonce: CaptureNonce.random(), thumbnail: frame.thumbnail)
    }

    /// - Throws: ``FrameError`` `tooLarge` if the server would refuse the frame.
    private func sendable(_ frame: ProcessedFrame) throws(FrameError) -> ProcessedFrame {
        guard frame.photo.count + frame.depth.count <= Self.mostBytes else { throw .tooLarge }
        return frame
    }

    private func photo(of frame: CapturedFrame, _ model: String) throws(FrameError) -> [UInt8] {
        let facts = CameraFacts(
            capturedAt: frame.capturedAt, secondsFromUTC: timeZone.secondsFromGMT(for: frame.capturedAt), model: model,
            orientation: frame.orientation.rawValue)
        do throws(JPEGError) {
            return try JPEGSegments.capturedCopy(of: frame.jpeg, facts)
        } catch {
            throw .jpegConversionFailed(error.description)
        }
    }

    private func compressed(_ plane: DepthPlane) throws(FrameError) -> [UInt8] {
        do throws(DeflateError) {
            return try Deflate.compress(plane.bytes, wrapping: .gzip)
        } catch {
            throw .depthCompressionFailed(error.description)
        }
    }

    private func checkTime(since start: ContinuousClock.Instant) throws(FrameError) {
        guard start.duration(to: .now) <= limit else { throw .processingTimeout }
    }
}

extension PreciseLocation {
    /// Without an altitude or accuracy that is not a number; `nil` unless the coordinates are on Earth. A negative accuracy says that
    /// the coordinates are invalid (`CLLocation.horizontalAccuracy`).
    fileprivate var onEarth: PreciseLocation? {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), !(accuracy ?? 0 < 0) else { return nil }
        return PreciseLocation(
            latitude: latitude, longitude: longitude, altitude: altitude.flatMap { $0.isFinite ? $0 : nil },
            accuracy: accuracy.flatMap { $0.isFinite ? $0 : nil })
    }
}
