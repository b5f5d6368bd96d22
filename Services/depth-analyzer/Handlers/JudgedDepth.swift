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
        let read = try InflatedDepthData.read(part, Records())
        (width, height, records) = (read.width, read.height, read.visitor.records)
    }

    /// The numbers of the samples of the movie that have depth; what names no sample at its time is left out.
    func samples(of movie: Movie) -> [Int] {
        records.map { Int($0.sample) }.filter { $0 < movie.video.samples.count }
    }
}

extension InflatedDepthData {
    /// Reads a whole part.
    /// - Throws: ``RejectedMessage`` if it cannot be read.
    fileprivate static func read(_ part: [UInt8], _ visitor: Visitor) throws -> (visitor: Visitor, width: Int, height: Int) {
        let reader = InflatedDepthData(visitor)
        do throws(DepthDataError) {
            var rest = part[...]
            while !rest.isEmpty {
                try reader.update(rest.prefix(1 << 16))
                rest = rest.dropFirst(1 << 16)
            }
            return try reader.finish()
        } catch {
            throw RejectedMessage(.depthUnreadable, detail: error.description)
        }
    }
}

/// The measurements of a video's depth maps, and the pictures of them. One map is held at a time.
struct JudgedDepth {
    let measurements: VideoDepthMeasurements
    private let preview: DepthMap?
    private let frames: DepthFrames
    /// Of the preview.
    private(set) var scale: DepthPreviewScale?

    /// - Parameter luma: of the keyframes that could be decoded.
    /// - Throws: ``RejectedMessage`` if the part cannot be read.
    init(_ part: [UInt8], _ movie: Movie, _ layout: VideoDepthLayout, luma: DecodedVideo, isDecodable: Bool) throws {
        let analysis = VideoDepthAnalysis(layout: layout, timescale: movie.video.format.timescale)
        let visitor = Maps(
            analysis: analysis, frames: DepthFrames(layout: layout), middle: movie.video.shownEnd / 2, luma: { luma.luma(of: $0) })
        let read = try InflatedDepthData.read(part, visitor).visitor
        measurements = read.analysis.finish(endTicks: movie.video.shownEnd, isDecodable: isDecodable)
        preview = read.nearest?.map
        frames = read.frames
        scale = preview.map(DepthPreviewScale.init)
    }

    /// `depth-preview.png`, of the keyframe nearest to the middle, and `depth-frames.jpg`.
    func pictures(of movie: Movie) throws -> [MediaName: EncodedPicture] {
        var pictures: [MediaName: EncodedPicture] = [:]
        if let preview {
            let format = movie.video.format
            let isTurned = format.rotation.rawValue % 180 != 0
            let upright = isTurned ? (Int(format.height), Int(format.width)) : (Int(format.width), Int(format.height))
            let file = try DepthPreview.file(
                depth: preview, rotation: measurements.rotation, aspect: measurements.framing == .whole ? upright : nil
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

/// Feeds depth maps to the analysis as they come.
private struct Maps: DepthDataVisitor {
    var analysis: VideoDepthAnalysis
    var frames: DepthFrames
    /// Ticks of the middle of the video.
    let middle: Int64
    let luma: (Int) -> LumaImage?
    /// The map nearest to the middle.
    var nearest: (map: DepthMap, distance: UInt64)?
    private var width = 0
    private var height = 0
    private var bytes: [UInt8] = []

    init(analysis: VideoDepthAnalysis, frames: DepthFrames, middle: Int64, luma: @escaping (Int) -> LumaImage?) {
        self.analysis = analysis
        self.frames = frames
        self.middle = middle
        self.luma = luma
    }

    mutating func begin(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        bytes.reserveCapacity(width * height * 4)
    }

    mutating func take(_ part: UnsafeRawBufferPointer) { bytes.append(contentsOf: part) }

    /// Maps that the analysis refuses, such as one of a time before the first frame, are as if they were not there.
    mutating func end(_ record: DepthRecord) {
        let metres = bytes.withUnsafeBytes { values in
            (0..<width * height).map {
                Float(bitPattern: UInt32(littleEndian: values.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
        bytes.removeAll(keepingCapacity: true)
        guard let map = try? DepthMap(width: width, height: height, metres: metres),
            (try? analysis.add(
                VideoKeyframe(sample: Int(record.sample), ticks: record.time, depth: map, luma: luma(Int(record.sample))))) != nil
        else { return }
        try? frames.add(map)
        let distance = (record.time - middle).magnitude
        if nearest.map({ distance < $0.distance }) ?? true { nearest = (map, distance) }
    }
}
