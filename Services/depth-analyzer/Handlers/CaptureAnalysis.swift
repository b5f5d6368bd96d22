import Blocking
import CaptureProtocol
import Depth
import Foundation
import Imaging
import JPEGMetadata
import MediaStore
import Metrics
import Models
import ObjectStorage
import Observability

/// Computes the depth findings and pictures of a capture from its objects. The photo is read once and decoded once.
///
/// An actor with its own thread, and a second thread for the depth: decoding and fitting take tens of milliseconds of CPU each and must not
/// block the cooperative pool. The map is fitted while the photo is being decoded, and compared with it while the copies are encoded.
actor CaptureAnalysis {
    private let executor = BlockingExecutor(label: "photo-decoding")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private nonisolated let depthExecutor = BlockingExecutor(label: "depth-analysis")
    private let storage: any ObjectStore
    private let videos: VideoAnalysis

    init(storage: any ObjectStore, videos: VideoAnalysis) {
        self.storage = storage
        self.videos = videos
    }

    /// - Throws: ``RejectedMessage`` if the bytes are not those that were accepted or cannot be decoded; storage errors unchanged.
    func run(_ message: CaptureAnnouncement) async throws -> DepthFindings { try await run(message, storesPictures: true) }

    /// Only the numbers: nothing is stored, and the findings have no pictures.
    /// - Throws: as ``run(_:)``.
    func measure(_ message: CaptureAnnouncement) async throws -> DepthFindings { try await run(message, storesPictures: false) }

    private func run(_ message: CaptureAnnouncement, storesPictures: Bool) async throws -> DepthFindings {
        switch message.content {
        case .photo(let content): try await run(content, message.captureID, storesPictures: storesPictures)
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
        let analyzed = try await analyze(depth.bytes, photo: photo.bytes, content, makesCopies: storesPictures)
        guard storesPictures else {
            return DepthFindings(measurements: analyzed.measurements, preview: nil, exif: analyzed.exif)
        }
        let stored = try await storage.store(analyzed.pictures, of: capture)
        FailPoint.reached("depth-analyzer.preview")
        return DepthFindings(
            measurements: analyzed.measurements, preview: stored[.depthPreview], previewScale: analyzed.scale, exif: analyzed.exif,
            pictures: stored.filter { $0.key != .depthPreview })
    }

    private func analyze(
        _ compressed: [UInt8], photo: [UInt8], _ content: PhotoContent, makesCopies: Bool
    ) async throws -> AnalyzedPhoto {
        let start = ContinuousClock.now
        defer { Metrics.Timer(label: "rial_depth_analysis_seconds").record(duration: start.duration(to: .now)) }
        let map: DepthMap
        do {
            map = try DepthMapDecoder.decode(compressed, width: content.depthWidth, height: content.depthHeight)
        } catch {
            throw RejectedMessage(.depthUnreadable, detail: "\(error)")
        }
        async let fitted = depthExecutor.run { FittedDepth(map) }
        let exif = EXIFReader.read(jpeg: Array(photo.prefix(EXIFReader.headBytes)))
        // The depth is measured even if the photo cannot be decoded; coherence is then 0.
        let decoded = try? PhotoVariants(photo)
        let gray = decoded?.luma(covering: DepthMap.measuredSize(width: map.width, height: map.height))
        let luma = gray.flatMap { try? LumaImage(width: $0.width, height: $0.height, pixels: $0.pixels) }
        // The preview is laid over the photo, so it gets the photo's aspect ratio if that can be read.
        let aspect = (try? JPEGDecoder.size(of: photo)).map { EXIFReader.upright($0, orientation: exif?.orientation) }
        let surface = try await fitted
        async let measured = depthExecutor.run {
            try MeasuredDepth(map, surface.measurements(luma: luma, exifOrientation: exif?.orientation), aspect: aspect)
        }
        var pictures: [MediaName: EncodedPicture] = [:]
        if makesCopies, let copies = try decoded?.copies(orientation: exif?.orientation ?? 1) {
            for (name, copy) in [(MediaName.thumbnail, copies.thumbnail), (.smallPicture, copies.small), (.largePicture, copies.large)] {
                pictures[name] = copy.map { EncodedPicture(bytes: $0.jpeg, pixels: PixelSize($0.width, $0.height)) }
            }
        }
        let depth = try await measured
        pictures[.depthPreview] = depth.preview
        return AnalyzedPhoto(measurements: depth.measurements, scale: depth.scale, exif: exif, pictures: pictures)
    }
}

/// A depth map's measurements and its preview.
private struct MeasuredDepth: Sendable {
    let measurements: DepthMeasurements
    let scale: DepthPreviewScale
    let preview: EncodedPicture

    init(_ map: DepthMap, _ measurements: DepthMeasurements, aspect: (width: Int, height: Int)?) throws {
        let file = try DepthPreview.file(depth: map, rotation: measurements.rotation, aspect: aspect) { picture in
            try PNGEncoder.encode(width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
        }
        self.measurements = measurements
        scale = file.scale
        preview = EncodedPicture(bytes: file.bytes, pixels: PixelSize(file.width, file.height))
    }
}

/// The results of analyzing a photo and its depth map.
private struct AnalyzedPhoto {
    let measurements: DepthMeasurements
    let scale: DepthPreviewScale
    let exif: EXIFFields?
    let pictures: [MediaName: EncodedPicture]
}

/// An encoded picture or video; of a picture its size in pixels.
struct EncodedPicture: Sendable {
    let bytes: [UInt8]
    let pixels: PixelSize?
}

extension ObjectStore {
    /// Stores all pictures of a capture, at the same time.
    func store(_ pictures: [MediaName: EncodedPicture], of capture: CaptureID) async throws -> [MediaName: StoredMedia] {
        try await withThrowingTaskGroup(of: (MediaName, StoredMedia).self) { group in
            for (name, picture) in pictures {
                group.addTask { (name, try await storeDerived(picture.bytes, named: name, of: capture, pixels: picture.pixels)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
