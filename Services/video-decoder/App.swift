import CAVCodec
import Foundation
import Inspection
import Movie
import VideoDecoding

/// Decodes one untrusted video and writes what was asked for as records.
///
/// The file is descriptor 0; records go to descriptor 1, which must not be a regular file. Before it reads the first byte, the process
/// enters a sandbox: no files, network, programs or child processes, and limited memory and time. Only this program links libavcodec.
///
/// Exit status: 0 after the last record, 1 if the file cannot be decoded, 64 for wrong arguments, 78 with a message on descriptor 2 if it
/// could not start.
@main
enum App {
    static func main() {
        guard let settings = Settings(CommandLine.arguments.dropFirst()) else { SandboxedProcess.fail(64, Settings.usage) }
        // Its messages would be of the file.
        av_log_set_level(AV_LOG_QUIET)
        SandboxedProcess.enterSandbox(settings.limits)
        if settings.isSelfTest { selfTest() }
        do {
            let movie = try movie(settings)
            var decoding = try DecodingPass(movie, settings) { record in
                // The reader may be gone.
                guard SandboxedProcess.write(record.encoded) else { _exit(1) }
            }
            try decoding.run()
        } catch {
            SandboxedProcess.fail(1, "\(error)")
        }
        // Skip the exit handlers of exit(3): there is nothing to flush.
        _exit(0)
    }

    private static func movie(_ settings: Settings) throws -> Movie {
        let count = settings.moov.upperBound - settings.moov.lowerBound
        guard count <= Int64(MovieScanner.largestMovieBox) else { throw DecodingFailure("a moov box of \(count) bytes") }
        let box = try FileBytes.read(settings.moov)
        return try Movie(movieBox: box, at: settings.moov, fileLength: settings.fileLength)
    }

    /// Exits with 0 if the sandbox blocks everything that it must, and both codecs, and the encoder, open in it.
    private static func selfTest() -> Never {
        SandboxedProcess.testSandbox()
        for codec in VideoCodec.allCases {
            do {
                _ = try PictureDecoder(codec)
            } catch {
                SandboxedProcess.fail(78, "no decoder of \(codec.rawValue): \(error)")
            }
        }
        do {
            let picture = try Frame.blank(width: 64, height: 48)
            var encoder = try PlaybackEncoder(like: picture, maxSide: 32, timescale: 600, rate: 30)
            guard try !encoder.finish(after: encoder.encode(picture, time: 0)).isEmpty else {
                SandboxedProcess.fail(78, "the encoder made nothing")
            }
        } catch {
            SandboxedProcess.fail(78, "no encoder of H.264: \(error)")
        }
        _exit(0)
    }
}
