import Blocking
import CaptureProtocol
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
