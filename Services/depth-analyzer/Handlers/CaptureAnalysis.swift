import Blocking
import CaptureProtocol
import Depth
import Foundation
import Imaging
import MediaStore
import Metrics
import Models
import ObjectStorage
import Observability

/// From the objects of a capture to its depth findings.
///
/// An actor on a thread of its own: decoding and fitting take tens of milliseconds of CPU and must not hold the cooperative pool.
actor CaptureAnalysis {
    private let executor = BlockingExecutor(label: "depth-analysis")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let storage: S3Client

    init(storage: S3Client) { self.storage = storage }

    /// - Throws: ``RejectedMessage`` for bytes that cannot be what was accepted; storage errors as they are.
    func run(_ message: CaptureAnnouncement) async throws -> DepthFindings {
        switch message.content {
        case .photo(let content): try await run(content, message.captureID)
        }
    }

    private func run(_ content: PhotoContent, _ capture: CaptureID) async throws -> DepthFindings {
        async let photoBytes = fetch(content.photo, .original, capture)
        async let depthBytes = fetch(content.depth, .depth, capture)
        let (photo, compressed) = try await (photoBytes, depthBytes)
        FailPoint.reached("depth-analyzer.fetched")
        let analyzed = try analyze(compressed, photo: photo, content)
        let preview = try await storage.storeDerived(
            analyzed.preview, named: .depthPreview, of: capture)
        FailPoint.reached("depth-analyzer.preview")
        return DepthFindings(measurements: analyzed.measurements, preview: preview, previewScale: analyzed.scale)
    }

    /// What was accepted and nothing else: a verdict on other bytes would be signed as if the device had sent them.
    private nonisolated func fetch(_ object: StoredMedia, _ name: MediaName, _ capture: CaptureID) async throws -> [UInt8] {
        try await storage.accepted(object, keptAs: name, of: capture).bytes
    }

    private func analyze(
        _ compressed: [UInt8], photo: [UInt8], _ content: PhotoContent
    ) throws -> (measurements: DepthMeasurements, preview: [UInt8], scale: DepthPreviewScale) {
        let start = ContinuousClock.now
        defer { Metrics.Timer(label: "rial_depth_analysis_seconds").record(duration: start.duration(to: .now)) }
        let depth: DepthMap
        do {
            depth = try DepthMapDecoder.decode(compressed, width: content.depthWidth, height: content.depthHeight)
        } catch {
            throw RejectedMessage(.depthUnreadable, detail: "\(error)")
        }
        // A photo that no decoder reads still leaves the depth to be measured: coherence is then 0.
        let size = DepthMap.measuredSize(width: depth.width, height: depth.height)
        let gray = try? JPEGDecoder.decodeLuma(photo, covering: size)
        let luma = gray.flatMap { try? LumaImage(width: $0.width, height: $0.height, pixels: $0.pixels) }
        let orientation = EXIFReader.orientation(of: photo)
        let measurements = DepthAnalysis.analyze(
            depth: depth, luma: luma, exifOrientation: orientation)
        // The picture lies over the photo, so that it has its proportions, where a decoder reads that.
        let aspect = (try? JPEGDecoder.size(of: photo)).map { EXIFReader.upright($0, orientation: orientation) }
        let preview = try DepthPreview.file(depth: depth, rotation: measurements.rotation, aspect: aspect) { picture in
            try PNGEncoder.encode(width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
        }
        return (measurements, preview.bytes, preview.scale)
    }
}
