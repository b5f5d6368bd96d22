import CaptureKit
import CaptureProtocol
import Crypto
import Depth
import Foundation
import Inspection
import Models
import Movie
import RialClient
import Synchronization
import VideoChain
import VideoDecoding

/// Sends a recorded video's hash with the measurements of its depth. Video and depth stay where they are (SPEC §10.11).
struct HashOnlyVideoSend {
    let client: APIClient
    let session: DeviceSession
    /// Path of `video-decoder`.
    let decoder: String

    /// - Throws: ``CommandFailure`` for a recording that cannot be read.
    func send(_ folder: VideoFolder, sharing flags: MetadataFlags) async throws -> AcceptedCapture {
        let payload = try await payload(folder, sharing: flags)
        let assertion = try await session.assertion(clientDataHash: HashOnlyClientData.hash(payload: payload).bytes)
        return try await client.send(HashOnlyBody(payload: payload, assertion: assertion), signer: session)
    }

    private func payload(_ folder: VideoFolder, sharing flags: MetadataFlags) async throws -> [UInt8] {
        do {
            let file = try FileHandle(forReadingFrom: folder.video)
            defer { try? file.close() }
            let (movie, digest) = try Self.read(file)
            guard case .chain(let chain) = try SubmittedHashChain.parse(Self.bytes(folder.hashChain)) else {
                throw CommandFailure("The hash chain of \(folder.url.path) has the original layout.")
            }
            let metadata = try VideoMetadata.parse(Self.bytes(folder.metadata), isOriginalLayout: false)
            let duration = Int(movie.durationMilliseconds)
            let video = SignedVideo(
                durationMilliseconds: duration, frameCount: movie.video.samples.count, finalHash: chain.finalHash,
                depth: try await measurements(Self.bytes(folder.depth), movie, file).signed(durationMilliseconds: duration))
            let facts = HashOnlyPayload.Facts(
                capturedAt: metadata.startedAt, location: metadata.location, deviceModel: metadata.deviceModel)
            return try HashOnlyPayload(mediaHash: digest, facts: facts, sharing: flags, video: video).bytes()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("The recording in \(folder.url.path) cannot be described: \(error)")
        }
    }

    private static func bytes(_ file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }

    /// One pass over the file for its tables and its hash.
    private static func read(_ file: FileHandle) throws -> (Movie, ContentDigest) {
        var scanner = MovieScanner()
        var hash = SHA256()
        while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
            hash.update(data: chunk)
            try scanner.consume(Array(chunk)[...])
        }
        return (try scanner.finish(), ContentDigest(hash.finalize()))
    }

    /// Measures in the same way as `depth-analyzer`.
    private func measurements(_ depth: [UInt8], _ movie: Movie, _ file: FileHandle) async throws -> VideoDepthMeasurements {
        let outline = try InflatedDepthData.read(depth, DepthDigests())
        let samples = outline.visitor.records.compactMap { $0.record.sampleNumber(in: movie) }
        let format = movie.video.format
        let layout = try VideoDepthLayout(
            frame: (Int(format.width), Int(format.height)), depth: (outline.width, outline.height),
            rotation: Int(format.rotation.rawValue) / 90)
        let request = DecodingRequest(
            moov: movie.moov, fileLength: Int64(try file.seekToEnd()), samples: samples, lumaWidth: layout.lumaWidth,
            lumaHeight: layout.lumaHeight, posterSide: 16, playbackSide: nil)
        let pictures = Mutex<[Int: LumaImage]>([:])
        let isDecoded = try await VideoDecoderPool(executable: decoder, concurrency: 1, waiting: 0)
            .decode(request, file: file.fileDescriptor, begin: { pictures.withLock { $0 = [:] } }) { record in
                if case .luma(let sample, let width, let height, let pixels) = record {
                    guard let image = try? LumaImage(width: width, height: height, pixels: pixels) else { return false }
                    pictures.withLock { $0[sample] = image }
                }
                return true
            }
        let luma = pictures.withLock { $0 }
        let maps = DepthMaps(into: VideoDepthAnalysis(layout: layout, timescale: format.timescale)) { analysis, record, map in
            let picture = record.sampleNumber(in: movie).flatMap { luma[$0] }
            try? analysis.add(VideoKeyframe(sample: Int(record.sample), ticks: record.time, depth: map, luma: picture))
        }
        return try InflatedDepthData.read(depth, maps).visitor.gathered.finish(endTicks: movie.video.shownEnd, isDecodable: isDecoded)
    }
}
