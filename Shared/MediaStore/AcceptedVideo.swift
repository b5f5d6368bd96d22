public import Blocking
public import CaptureProtocol
public import Models
public import Movie
import NIOCore
public import ObjectStorage

/// The video of an accepted upload, read once into a file without a name and compared with its accepted digest.
public struct AcceptedVideo: Sendable {
    public let movie: Movie
    public let file: NamelessFile

    /// Streams the video into the file, reading its tables on the way.
    /// - Parameters:
    ///   - missing: the reason of the rejection if there is no such object.
    ///   - scratchFolder: where the file lies.
    /// - Throws: ``RejectedMessage`` if the video is missing, cannot be read or is not the accepted one; what disk and store throw
    ///   unchanged.
    public init(_ object: StoredMedia, in storage: any ObjectStore, missing: FailureReason, scratchFolder: String) async throws {
        let file = try NamelessFile(in: scratchFolder)
        var scanner = MovieScanner()
        do {
            try await storage.streamAccepted(object, missing: missing) { chunk in
                let bytes = ArraySlice(chunk.readableBytesView)
                try scanner.consume(bytes)
                try file.append(bytes)
            }
            movie = try scanner.finish()
        } catch let error as MovieError {
            throw RejectedMessage(.captureUnreadable, detail: error.description)
        }
        self.file = file
    }
}
