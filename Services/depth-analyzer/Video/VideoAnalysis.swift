import Blocking
import CaptureProtocol
import Delivery
import Depth
import Foundation
import Imaging
import Inspection
import MediaStore
import Metrics
import Models
import Movie
import ObjectStorage
import Observability
import VideoChain
import VideoDecoding

/// Computes the depth findings and pictures of a video. Its file is read once into a file without a name and decoded once, by a process of
/// its own; nothing of it stays on disk.
///
/// An actor with its own thread, because writing the file and analyzing take seconds and must not block the cooperative pool.
actor VideoAnalysis {
    private let executor = BlockingExecutor(label: "video-analysis")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let storage: any ObjectStore
    private let decoder: any VideoDecoding
    private let scratchFolder: String

    init(storage: any ObjectStore, decoder: any VideoDecoding, scratchFolder: String) {
        self.storage = storage
        self.decoder = decoder
        self.scratchFolder = scratchFolder
    }

    /// - Parameter storesPictures: false if only the numbers are asked for.
    /// - Throws: ``RejectedMessage`` if the bytes are not those that were accepted; `DependencyUnavailable` if no video can be decoded now;
    ///   storage errors unchanged.
    func run(_ content: VideoContent, _ capture: CaptureID, storesPictures: Bool) async throws -> DepthFindings {
        let depth = try await storage.accepted(content.depth, missing: .intakeMissing)
        let video = try await AcceptedVideo(content.video, in: storage, missing: .intakeMissing, scratchFolder: scratchFolder)
        let (file, movie) = (video.file, video.movie)
        FailPoint.reached("depth-analyzer.video.fetched")
        let outline = try DepthOutline(depth)
        let layout = try Self.layout(movie, outline)
        let decoded = DecodedVideo()
        let isDecoded = try await decode(
            movie, file, outline.samples(of: movie), layout, makesPlayback: storesPictures, into: decoded)
        FailPoint.reached("depth-analyzer.video.decoded")
        let start = ContinuousClock.now
        // Behind photos, which take tens of milliseconds.
        let (measured, pictures) = try await BackgroundThread.run(label: "video-depth") {
            let measured = try MeasuredDepth(depth, movie, layout, luma: decoded, isDecodable: isDecoded)
            guard storesPictures else { return (measured, [MediaName: EncodedPicture]?.none) }
            var pictures = try measured.pictures(of: movie)
            if isDecoded {
                pictures.merge(try Self.posters(decoded, movie)) { $1 }
                let copy = try decoded.playback(of: movie, sound: file)
                pictures[.playback] = copy.map { EncodedPicture(bytes: $0, pixels: nil) }
            }
            return (measured, pictures)
        }
        guard let pictures else { return DepthFindings(measurements: nil, temporal: measured.measurements, preview: nil) }
        Metrics.Timer(label: "rial_video_analysis_seconds").record(duration: start.duration(to: .now))
        let stored = try await storage.store(pictures, of: capture)
        FailPoint.reached("depth-analyzer.preview")
        return DepthFindings(
            measurements: nil, temporal: measured.measurements, preview: stored[.depthPreview], previewScale: measured.scale,
            pictures: stored.filter { $0.key != .depthPreview })
    }

    private static func layout(_ movie: Movie, _ outline: DepthOutline) throws -> VideoDepthLayout {
        let format = movie.video.format
        do {
            return try VideoDepthLayout(
                frame: (Int(format.width), Int(format.height)), depth: (outline.width, outline.height),
                rotation: Int(format.rotation.rawValue) / 90)
        } catch {
            throw RejectedMessage(.depthUnreadable, detail: error.description)
        }
    }

    /// - Returns: whether the decoder came to its end.
    private func decode(
        _ movie: Movie, _ file: NamelessFile, _ samples: [Int], _ layout: VideoDepthLayout, makesPlayback: Bool,
        into decoded: DecodedVideo
    ) async throws -> Bool {
        let request = DecodingRequest(
            moov: movie.moov, fileLength: try file.size(), samples: samples, lumaWidth: layout.lumaWidth, lumaHeight: layout.lumaHeight,
            posterSide: PhotoVariants.largeSide,
            playbackSide: makesPlayback && movie.video.format.codec == .hevc ? DecodedVideo.playbackSide : nil)
        do {
            let isDone = try await decoder.decode(request, file: file.descriptor, begin: { decoded.reset() }) { decoded.take($0) }
            return isDone && decoded.pictures > 0
        } catch {
            if error == .cancelled { throw CancellationError() }
            throw DependencyUnavailable("video_decoder", "\(error)")
        }
    }

    /// The first frame shown, upright, and its small version.
    private static func posters(_ decoded: DecodedVideo, _ movie: Movie) throws -> [MediaName: EncodedPicture] {
        guard let stored = decoded.poster else { return [:] }
        // The EXIF orientations that turn as the track does.
        let orientations: [VideoRotation: Int] = [.none: 1, .quarter: 6, .half: 3, .threeQuarters: 8]
        let poster = stored.oriented(orientations[movie.video.format.rotation] ?? 1)
        let thumbnail = poster.fitted(maxSide: PhotoVariants.thumbnailSide)
        return try [(MediaName.poster, poster), (.thumbnail, thumbnail)].reduce(into: [:]) { pictures, entry in
            pictures[entry.0] = EncodedPicture(
                bytes: try JPEGEncoder.encode(entry.1, quality: 82), pixels: PixelSize(entry.1.width, entry.1.height))
        }
    }
}
