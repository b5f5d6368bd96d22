import Blocking
import CaptureProtocol
import Depth
import Foundation
import Imaging
import Inspection
import JPEGMetadata
import MediaStore
import Metrics
import Models
import ObjectStorage
import Observability

/// Computes the depth findings and pictures of a capture from its objects. The photo is read once and decoded once.
///
/// An actor with its own thread, and a second thread for the depth: decoding and fitting take tens of milliseconds of CPU each and must not
/// block the cooperative pool. The map is fitted and drawn while the photo is being decoded, and compared with it while the copies are
/// made.
actor CaptureAnalysis {
    private let executor = BlockingExecutor(label: "photo-decoding")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private nonisolated let depthExecutor = BlockingExecutor(label: "depth-analysis")
    private let storage: any ObjectStore
    private let videos: VideoAnalysis
    private let pause: ProcessPause

    /// - Parameter pause: stops the decoding of videos while a photo is analyzed.
    init(storage: any ObjectStore, videos: VideoAnalysis, pause: ProcessPause = ProcessPause()) {
        self.storage = storage
        self.videos = videos
        self.pause = pause
    }

    /// - Throws: ``RejectedMessage`` if the bytes are not those that were accepted or cannot be decoded; storage errors unchanged, and what
    ///   depth and picture throw if memory runs out.
    func run(_ message: CaptureAnnouncement) async throws -> DepthFindings { try await run(message, storesPictures: true) }

    /// Only the numbers: nothing is stored, and the findings have no pictures.
    /// - Throws: as ``run(_:)``.
    func measure(_ message: CaptureAnnouncement) async throws -> DepthFindings { try await run(message, storesPictures: false) }

    private func run(_ message: CaptureAnnouncement, storesPictures: Bool) async throws -> DepthFindings {
        switch message.content {
        case .photo(let content) where storesPictures:
            // Someone waits for it, and it takes a hundredth of the time of a video.
            try await pause.during { try await run(content, message.captureID, storesPictures: true) }
        case .photo(let content): try await run(content, message.captureID, storesPictures: false)
        // The device measured the depth and signed the numbers; the verdict on them is ours.
        case .hashOnly(let payload):
            DepthFindings(
                measurements: payload.depth.map(DepthMeasurements.init),
                temporal: payload.video?.depth.map(VideoDepthMeasurements.init),
                unavailableReason: payload.depth == nil && payload.video?.depth == nil ? .noDepth : nil, preview: nil)
        case .video(let content): try await videos.run(content, message.captureID, storesPictures: storesPictures)
        }
    }

    private func run(_ content: PhotoContent, _ capture: CaptureID, storesPictures: Bool) async throws -> DepthFindings {
        // Compare with the accepted digests: a verdict on other bytes would be signed as if the device had sent them.
        async let photoBytes = storage.accepted(content.photo, keptAs: .original, of: capture)
        async let depthBytes = storage.accepted(content.depth, keptAs: .depth, of: capture)
        let (photo, depth) = try await (photoBytes, depthBytes)
        FailPoint.reached("depth-analyzer.fetched")
        guard storesPictures else { return try await analyze(depth.bytes, photo: photo.bytes, content, store: nil) }
        // Each picture is stored while the next is made.
        let (pictures, made) = AsyncStream.makeStream(of: (MediaName, EncodedPicture).self)
        async let storing = storage.store(pictures, of: capture)
        var findings = try await analyze(depth.bytes, photo: photo.bytes, content) { made.yield(($0, $1)) }
        made.finish()
        let stored = try await storing
        FailPoint.reached("depth-analyzer.preview")
        findings.preview = stored[.depthPreview]
        findings.pictures = stored.filter { $0.key != .depthPreview }
        return findings
    }

    private func analyze(
        _ compressed: [UInt8], photo: [UInt8], _ content: PhotoContent, store: (@Sendable (MediaName, EncodedPicture) -> Void)?
    ) async throws -> DepthFindings {
        let start = ContinuousClock.now
        defer { Metrics.Timer(label: "rial_depth_analysis_seconds").record(duration: start.duration(to: .now)) }
        let map: DepthMap
        do throws(DepthError) {
            map = try DepthMapDecoder.decode(compressed, width: content.depthWidth, height: content.depthHeight)
        } catch {
            throw Self.failure(of: error)
        }
        let exif = EXIFReader.read(jpeg: Array(photo.prefix(EXIFReader.headBytes)))
        let size = try? JPEGDecoder.size(of: photo)
        let isStored = store != nil
        async let fitted = depthExecutor.run {
            let surface = FittedDepth(map)
            guard isStored else { return (surface: surface, drawn: DrawnDepth?.none) }
            let rotation = surface.likelyRotation(photo: size, exifOrientation: exif?.orientation)
            return (surface, try DrawnDepth(map, rotation, of: surface, photo: size, exif))
        }
        // The depth is measured even if the photo cannot be decoded; coherence is then 0.
        let decoded = try Self.readable { () throws(ImagingError) in try PhotoVariants(photo) }
        let gray = decoded?.luma(covering: DepthMap.measuredSize(width: map.width, height: map.height))
        let luma = gray.flatMap { try? LumaImage(width: $0.width, height: $0.height, pixels: $0.pixels) }
        let (surface, likely) = try await fitted
        async let measured = depthExecutor.run {
            let measurements = surface.measurements(luma: luma, exifOrientation: exif?.orientation)
            guard let likely, likely.rotation != measurements.rotation else { return (measurements: measurements, drawn: likely) }
            return (measurements, try DrawnDepth(map, measurements.rotation, of: surface, photo: size, exif))
        }
        if let store {
            try decoded?.makeCopies(orientation: exif?.orientation ?? 1) { size, copy in
                store(MediaName(size), EncodedPicture(bytes: copy.jpeg, pixels: PixelSize(copy.width, copy.height)))
            }
        }
        let depth = try await measured
        if let drawn = depth.drawn { store?(.depthPreview, drawn.picture) }
        return DepthFindings(measurements: depth.measurements, preview: nil, previewScale: depth.drawn?.scale, exif: exif)
    }

    /// Memory that ran out is our fault and no reason to give the capture up.
    static func failure(of error: DepthError) -> any Error {
        if error.code == .outOfMemory { return error }
        return RejectedMessage(.depthUnreadable, detail: "\(error)")
    }

    /// - Returns: `nil` for a picture that cannot be decoded.
    /// - Throws: ``ImagingError`` `outOfMemory`, which says nothing of the picture.
    static func readable<Picture>(_ decode: () throws(ImagingError) -> Picture) throws(ImagingError) -> Picture? {
        do throws(ImagingError) {
            return try decode()
        } catch {
            if error.code == .outOfMemory { throw error }
            return nil
        }
    }
}

extension MediaName {
    fileprivate init(_ size: PhotoVariants.Size) {
        self =
            switch size {
            case .large: .largePicture
            case .small: .smallPicture
            case .thumbnail: .thumbnail
            }
    }
}
