import CaptureProtocol
import Depth
import Imaging
import Models
import Movie
import VideoChain

/// Which samples of a video have depth, and the size of the maps.
struct DepthOutline: Sendable {
    let width: Int
    let height: Int
    private let records: [DepthRecord]

    private struct Records: DepthDataVisitor {
        var records: [DepthRecord] = []
        func begin(width: Int, height: Int) {}
        func take(_ bytes: UnsafeRawBufferPointer) {}
        mutating func end(_ record: DepthRecord) { records.append(record) }
    }

    /// - Throws: ``RejectedMessage`` if the part cannot be read.
    init(_ part: [UInt8]) throws {
        let read = try read(part, Records())
        (width, height, records) = (read.width, read.height, read.visitor.records)
    }

    /// The numbers of the samples of the movie that have depth; what names no sample at its time is left out.
    func samples(of movie: Movie) -> [Int] {
        records.compactMap { $0.sampleNumber(in: movie) }
    }
}

/// Reads a whole part.
/// - Throws: ``RejectedMessage`` if it cannot be read; `DepthDataError` if memory runs out.
private func read<Visitor: DepthDataVisitor>(_ part: [UInt8], _ visitor: Visitor) throws -> (visitor: Visitor, width: Int, height: Int) {
    do throws(DepthDataError) {
        return try InflatedDepthData.read(part, visitor)
    } catch {
        if error.code == .outOfMemory { throw error }
        throw RejectedMessage(.depthUnreadable, detail: error.description)
    }
}

/// The measurements of a video's depth maps, and the pictures of them. One map is held at a time.
struct MeasuredDepth: Sendable {
    let measurements: VideoDepthMeasurements
    private let preview: DepthMap?
    private let frames: DepthFrames
    /// The scale of the preview and of the picture of all keyframes, so that one legend fits both; `nil` without a preview.
    let scale: DepthPreviewScale?

    private struct Gathered {
        var analysis: VideoDepthAnalysis
        var frames: DepthFrames
        /// The map nearest to the middle, and how far it is from there.
        var nearest: (map: DepthMap, distance: UInt64)?
    }

    /// - Parameter luma: of the keyframes that could be decoded.
    /// - Throws: ``RejectedMessage`` if the part cannot be read.
    init(_ part: [UInt8], _ movie: Movie, _ layout: VideoDepthLayout, luma: DecodedVideo, isDecodable: Bool) throws {
        let nothing = Gathered(
            analysis: VideoDepthAnalysis(layout: layout, timescale: movie.video.format.timescale), frames: DepthFrames(layout: layout))
        let middle = movie.video.shownEnd / 2
        // Maps that the analysis refuses, such as one of a time before the first frame, are as if they were not there.
        let maps = DepthMaps(into: nothing) { gathered, record, map in
            let picture = record.sampleNumber(in: movie).flatMap { luma.luma(of: $0) }
            let keyframe = VideoKeyframe(sample: Int(record.sample), ticks: record.time, depth: map, luma: picture)
            guard (try? gathered.analysis.add(keyframe)) != nil else { return }
            try? gathered.frames.add(map)
            let distance = (record.time - middle).magnitude
            if gathered.nearest.map({ distance < $0.distance }) ?? true { gathered.nearest = (map, distance) }
        }
        let gathered = try read(part, maps).visitor.gathered
        measurements = gathered.analysis.finish(endTicks: movie.video.shownEnd, isDecodable: isDecodable)
        preview = gathered.nearest?.map
        frames = gathered.frames
        scale = preview == nil ? nil : frames.scale
    }

    /// `depth-preview.png`, of the keyframe nearest to the middle, and `depth-frames.jpg`.
    func pictures(of movie: Movie) throws -> [MediaName: EncodedPicture] {
        var pictures: [MediaName: EncodedPicture] = [:]
        if let preview {
            let format = movie.video.format
            let isTurned = format.rotation.rawValue % 180 != 0
            let upright = isTurned ? (Int(format.height), Int(format.width)) : (Int(format.width), Int(format.height))
            let file = try DepthPreview.file(
                depth: preview, rotation: measurements.rotation, aspect: measurements.framing == .whole ? upright : nil,
                scale: scale
            ) { picture in
                try PNGEncoder.encode(width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
            }
            pictures[.depthPreview] = EncodedPicture(bytes: file.bytes, pixels: PixelSize(file.width, file.height))
        }
        if let sheet = frames.picture(rotation: measurements.rotation) {
            let image = try RGBImage(width: sheet.width, height: sheet.height, pixels: sheet.rgb)
            pictures[.depthFrames] = EncodedPicture(
                bytes: try JPEGEncoder.encode(image, quality: 75), pixels: PixelSize(sheet.width, sheet.height))
        }
        return pictures
    }
}
