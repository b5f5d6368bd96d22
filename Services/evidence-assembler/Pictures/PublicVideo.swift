import Blocking
import CaptureProtocol
import Crypto
import Evidence
import Foundation
import MediaStore
import Models
import Movie
import NIOCore
import ObjectStorage

/// The original of a video, read once into a file without a name and compared with its accepted digest.
struct OriginalVideo: Sendable {
    let movie: Movie
    let file: NamelessFile

    /// - Throws: ``RejectedMessage`` if the video is missing or its digest differs; storage errors unchanged.
    init(_ original: StoredMedia, in storage: any ObjectStore, scratchFolder: String) async throws {
        let file = try NamelessFile(in: scratchFolder)
        var scanner = MovieScanner()
        do {
            try await storage.streamAccepted(original) { chunk in
                let bytes = ArraySlice(chunk.readableBytesView)
                try scanner.consume(bytes)
                try file.append(bytes)
            }
            movie = try scanner.finish()
        } catch let error as MovieError {
            throw RejectedMessage(.captureUnreadable, detail: error.description)
        } catch let rejection as RejectedMessage where rejection.reason == .intakeMissing {
            throw RejectedMessage(.originalMissing, detail: rejection.detail)
        }
        self.file = file
    }

    /// What the file says, for the evidence.
    var facts: MovieFacts {
        let format = movie.video.format
        let sound = movie.sound?.format.codecString
        return MovieFacts(
            durationMilliseconds: movie.durationMilliseconds, frameCount: movie.video.samples.count,
            codec: format.codec.name, width: Int(format.width), height: Int(format.height),
            rotation: Int(format.rotation.rawValue), hasAudio: movie.sound != nil, creationDate: movie.quickTimeCreationDate,
            createdAt: movie.createdAt, model: movie.quickTimeModel,
            codecs: format.codecString.map { picture in sound.map { "\(picture),\($0)" } ?? picture })
    }
}

/// The public copy of a video: a new file with the same samples and nothing else, read out of the original where that lies (SPEC §10.7).
struct PublicVideo: Sendable {
    private let original: OriginalVideo
    private let plan: PublicMovie
    /// Where the plan's ranges begin in the copy, ascending.
    private let starts: [Int64]

    init(_ original: OriginalVideo, startedAt: Date) {
        self.original = original
        plan = PublicMovie(original.movie, startedAt: startedAt)
        var starts: [Int64] = []
        var position = Int64(plan.head.count)
        for range in plan.ranges {
            starts.append(position)
            position += Int64(range.count)
        }
        self.starts = starts
    }

    var sizeBytes: Int64 { plan.length }

    /// Reads a range of the copy; fewer bytes at its end.
    func bytes(_ range: Range<Int64>) throws -> [UInt8] {
        let range = range.clamped(to: 0..<plan.length)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        let head = range.clamped(to: 0..<Int64(plan.head.count))
        if !head.isEmpty { bytes += plan.head[Int(head.lowerBound)..<Int(head.upperBound)] }
        var index = max(0, firstIndex(at: range.lowerBound))
        while index < starts.count, starts[index] < range.upperBound {
            let source = plan.ranges[index]
            let part = range.clamped(to: starts[index]..<starts[index] + Int64(source.count))
            if !part.isEmpty {
                let offset = source.lowerBound - starts[index]
                bytes += try original.file.bytes(part.lowerBound + offset..<part.upperBound + offset)
            }
            index += 1
        }
        return bytes
    }

    /// The last range that begins at the position or before it; -1 in the head.
    private func firstIndex(at position: Int64) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}

extension ObjectStore {
    /// Stores something that is not in memory, under a key with its digest.
    /// - Parameter read: reads a range of at most 1 MiB.
    func storeDerived(
        _ sizeBytes: Int64, named name: MediaName, of capture: CaptureID, reading read: @escaping @Sendable (Range<Int64>) throws -> [UInt8]
    ) async throws -> StoredMedia {
        var hasher = SHA256()
        var position: Int64 = 0
        while position < sizeBytes {
            let range = position..<min(position + (1 << 20), sizeBytes)
            hasher.update(data: try read(range))
            position = range.upperBound
        }
        let digest = ContentDigest(hasher.finalize())
        let media = StoredMedia(
            key: name.key(of: capture, digest: digest), sha256: digest, sizeBytes: sizeBytes, contentType: name.contentType)
        try await put(media, reading: read)
        return media
    }
}
