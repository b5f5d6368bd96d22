import CaptureKit
import Foundation
import Movie
import Scene
import SimulatedCamera
import Testing

@Suite("Encoding with the ffmpeg program")
struct EncoderTests {
    private func samples(_ codec: VideoCodec, bFrames: Bool) async throws -> (samples: [EncodedSample], format: VideoFormat) {
        var options = VideoOptions()
        options.size = (64, 48)
        let renderer = try VideoRenderer(.walk, seed: 2, options: options)
        var encoding = FFmpegVideoEncoder.Options()
        encoding.codec = codec
        encoding.hasBFrames = bFrames
        let encoder = try FFmpegVideoEncoder(width: 64, height: 48, options: encoding)
        var samples: [EncodedSample] = []
        for number in 0..<40 { samples += try await encoder.encode(renderer.frame(at: Double(number) / 30), at: Int64(number) * 20) }
        samples += try await encoder.finish()
        return (samples, try #require(encoder.format))
    }

    @Test(
        "gives the same samples twice, each picture once, in 1/600 s",
        arguments: [(VideoCodec.h264, false), (.h264, true), (.hevc, false), (.hevc, true)])
    func deterministic(codec: VideoCodec, bFrames: Bool) async throws {
        let (first, format) = try await samples(codec, bFrames: bFrames)
        let second = try await samples(codec, bFrames: bFrames)
        #expect(first == second.samples && format == second.format)
        #expect(first.map(\.decodeTime) == (0..<40).map { $0 * 20 })
        let start = try #require(first.first?.presentationTime)
        #expect(first.map { $0.presentationTime - start }.sorted() == (0..<40).map { $0 * 20 })
        #expect((first.map(\.presentationTime) != first.map(\.presentationTime).sorted()) == bFrames)
        #expect(first.first?.isSync == true && first.count { $0.isSync } == 2)
        #expect(format.codec == codec && format.timescale == 600 && format.configuration.first == 1)
    }

    @Test("gives files that ffmpeg decodes without a word", arguments: [VideoCodec.h264, .hevc])
    func decodes(codec: VideoCodec) async throws {
        try await TestRecording.inFolder { recording in
            _ = try await recording.record(from: try TestRecording.camera(seconds: 1), signer: EchoSigner(), codec: codec, bFrames: true)
            let decoder = Process()
            decoder.executableURL = URL(filePath: "/usr/bin/env")
            decoder.arguments = ["ffmpeg", "-v", "warning", "-i", recording.folder.video, "-f", "null", "-"]
            let words = Pipe()
            decoder.standardError = words
            decoder.standardInput = FileHandle.nullDevice
            try decoder.run()
            let said = words.fileHandleForReading.readDataToEndOfFile()
            decoder.waitUntilExit()
            #expect(decoder.terminationStatus == 0 && said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
        }
    }

    @Test("refuses pictures of another size or at another rate")
    func invalid() async throws {
        let encoder = try FFmpegVideoEncoder(width: 64, height: 48)
        await #expect(throws: EncodingError.invalidInput) { try await encoder.encode([0], at: 0) }
        await #expect(throws: EncodingError.invalidInput) {
            try await encoder.encode([UInt8](repeating: 0, count: 64 * 48 * 3 / 2), at: 7)
        }
    }
}
