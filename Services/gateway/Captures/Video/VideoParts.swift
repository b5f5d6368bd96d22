import CaptureProtocol
import Crypto
import Models
import Movie
import NIOCore
import VideoChain

/// The parts of a video capture as they come (SPEC §10.1): the tables of the file and the form of the depth are read while they stream by.
struct VideoParts: CaptureParts {
    static let bodyLimit = SizeLimits.videoCapture
    static let collected = CollectedParts.limits.merging([UploadPart.hashChain: SizeLimits.hashChain]) { $1 }

    /// The parts that have come.
    struct Received: Sendable {
        var video: StoredMedia?
        /// What the file's tables say; `nil` without a video.
        var movie: Result<Movie, MovieError>?
        var depth: StoredMedia?
        /// What is wrong with the depth's form; `nil` if nothing is.
        var depthProblem: String?
        var small = CollectedParts()
    }

    private(set) var received = Received()
    private var scanner: MovieScanner? = MovieScanner()
    private var videoBytes = 0
    private let depth = DepthDataInspection()

    static func object(of part: UploadPart) -> MediaName? {
        switch part {
        case .video: .originalVideo
        case .depthData: .depth
        default: nil
        }
    }

    mutating func begin(_ name: MediaName) {}

    mutating func inspect(_ bytes: ByteBuffer, of name: MediaName) throws {
        guard name == .originalVideo else { return depth.update(ArraySlice(bytes.readableBytesView)) }
        videoBytes += bytes.readableBytes
        guard videoBytes <= SizeLimits.videoPart else { throw CaptureError.videoTooLarge }
        do throws(MovieError) {
            try bytes.withUnsafeReadableBytes { (bytes: UnsafeRawBufferPointer) throws(MovieError) -> Void in
                try scanner?.consume(bytes)
            }
        } catch {
            // The signature is checked first, so a bad file is refused only at the end of the body.
            received.movie = .failure(error)
            scanner = nil
        }
    }

    mutating func end(_ object: StoredMedia, _ name: MediaName, hasher: SHA256) {
        guard name == .originalVideo else {
            received.depth = object
            received.depthProblem = depth.finish()
            return
        }
        received.video = object
        guard let scanner = scanner.take() else { return }
        do throws(MovieError) {
            received.movie = .success(try scanner.finish())
        } catch {
            received.movie = .failure(error)
        }
    }

    mutating func collect(_ bytes: [UInt8]?, of part: UploadPart) { received.small.collect(bytes, of: part) }
}

/// Looks at the form of a `depth_data` part while it streams by, without keeping it.
///
/// `@unchecked Sendable`: only the intake that owns the parts calls it, one call at a time.
private final class DepthDataInspection: @unchecked Sendable {
    private var data: InflatedDepthData<Nothing>? = InflatedDepthData(Nothing())
    private var problem: String?

    func update(_ bytes: ArraySlice<UInt8>) {
        do throws(DepthDataError) {
            try data?.update(bytes)
        } catch {
            refuse(error)
        }
    }

    /// - Returns: what is wrong; `nil` if nothing is.
    func finish() -> String? {
        do throws(DepthDataError) {
            _ = try data?.finish()
        } catch {
            refuse(error)
        }
        return problem
    }

    private func refuse(_ error: DepthDataError) {
        problem = error.message
        data = nil
    }

    private struct Nothing: DepthDataVisitor {
        func begin(width: Int, height: Int) {}
        func take(_ bytes: UnsafeRawBufferPointer) {}
        func end(_ record: DepthRecord) {}
    }
}
