import Foundation
import Inspection
import Movie
import Synchronization
import TestSupport
import Testing
import VideoDecoding

/// The program itself, with films of the real `ffmpeg`.
@Suite("Decoding videos in the sandbox")
struct VideoDecoderTests {
    private static var program: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "video-decoder").path
    }

    private static func pool(_ program: String = program, limits: InspectionLimits = VideoDecoderPool.limits) -> VideoDecoderPool {
        VideoDecoderPool(executable: program, concurrency: 1, waiting: 4, limits: limits)
    }

    /// What the decoder gave of a file, and whether it came to its end.
    private static func decode(
        _ file: [UInt8], samples: [Int], luma: (Int, Int) = (64, 48), playback: Int? = nil, by pool: VideoDecoderPool = pool()
    ) async throws -> (records: [DecodedRecord], isDone: Bool) {
        let movie = try Movie(file: file)
        return try await MediaTool.inFolder { tool in
            try tool.write(file, to: "film")
            let descriptor = open(tool.folder.appending(path: "film").path, O_RDONLY)
            defer { close(descriptor) }
            let records = Mutex<[DecodedRecord]>([])
            let isDone = try await pool.decode(
                DecodingRequest(
                    moov: movie.moov, fileLength: Int64(file.count), samples: samples, lumaWidth: luma.0, lumaHeight: luma.1,
                    posterSide: 1656, playbackSide: playback), file: descriptor, begin: { records.withLock { $0 = [] } }
            ) { record in
                records.withLock { $0.append(record) }
                return true
            }
            return (records.withLock { $0 }, isDone)
        }
    }

    @Test("the sandbox is closed, and both codecs and the encoder work in it")
    func selfTest() async throws { try await Self.pool().selfTest() }

    @Test("a program that is not there is unavailable")
    func missing() async {
        await #expect(throws: InspectionError.self) { try await Self.pool("/nonexistent/video-decoder").selfTest() }
    }

    @Test(
        "the brightness of a keyframe is the mean of what ffmpeg decodes, for each codec and order",
        arguments: [
            ("a.mp4", ["-c:v", "libx264", "-bf", "0"]), ("b.mov", ["-c:v", "libx264", "-bf", "2"]),
            ("c.mp4", ["-c:v", "libx265", "-x265-params", "log-level=error:bframes=2", "-tag:v", "hvc1"]),
        ] as [(String, [String])])
    func luma(name: String, options: [String]) async throws {
        let (file, planes) = try MediaTool.inFolder { tool in
            let file = try tool.film(name, options)
            let raw = try tool.run("ffmpeg", ["-i", name, "-map", "0:v", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
            return (file, [UInt8](raw))
        }
        let movie = try Movie(file: file)
        // Pictures in the order in which they are shown.
        let shown = movie.video.samples.enumerated().sorted { $0.element.time < $1.element.time }.map(\.offset)
        let samples = [0, 7, 16, 29].map { shown[$0] }.sorted()
        let (records, isDone) = try await Self.decode(file, samples: samples)
        #expect(isDone)
        var found = 0
        for case .luma(let sample, 64, 48, let pixels) in records {
            let place = try #require(shown.firstIndex(of: sample))
            let start = place * 320 * 240 * 3 / 2
            let plane = Array(planes[start..<start + 320 * 240])
            #expect(pixels == Self.mean(of: plane), "sample \(sample)")
            found += 1
        }
        #expect(found == 4)
        let again = try await Self.decode(file, samples: samples)
        #expect(again.records == records, "the same bytes twice")
        // Pictures that nobody asks for and no other one refers to are left out, which changes no other.
        let everything = try await Self.decode(file, samples: Array(0..<30)).records
        #expect(Self.pictures(everything) == 30)
        #expect(name == "a.mp4" ? Self.pictures(records) == 30 : (4..<30).contains(Self.pictures(records)))
        for record in records {
            if case .end = record { continue }
            #expect(everything.contains(record))
        }
    }

    /// How many pictures were decoded.
    private static func pictures(_ records: [DecodedRecord]) -> Int {
        guard case .end(let pictures)? = records.last else { return -1 }
        return pictures
    }

    /// Means of 5 × 5 pixels of a picture of 320 × 240, rounded.
    private static func mean(of plane: [UInt8]) -> [UInt8] {
        (0..<48).flatMap { row in
            (0..<64).map { column in
                var sum = 0
                for y in 0..<5 { for x in 0..<5 { sum += Int(plane[(row * 5 + y) * 320 + column * 5 + x]) } }
                return UInt8((sum + 12) / 25)
            }
        }
    }

    @Test(
        "a poster has the colours that the stream's standard gives",
        arguments: [("bt709", [250, 83, 121]), ("bt2020nc", [242, 74, 121]), ("smpte170m", [236, 63, 121])] as [(String, [UInt8])])
    func colours(standard: String, pixel: [UInt8]) async throws {
        let file = try MediaTool.inFolder { tool in
            let picture = "color=black:size=64x48:rate=30:duration=1,format=yuv420p,geq=lum=120:cb=128:cr=200"
            try tool.run(
                "ffmpeg", ["-y", "-f", "lavfi", "-i", picture, "-c:v", "libx264", "-colorspace", standard, "-color_range", "tv", "a.mp4"])
            return try tool.bytes("a.mp4")
        }
        var posters: [[UInt8]] = []
        for case .poster(64, 48, let pixels) in try await Self.decode(file, samples: [0]).records { posters.append(pixels) }
        #expect(posters == [(0..<64 * 48).flatMap { _ in pixel }])
    }

    @Test("a playback copy is H.264 within its size, with all pictures at their times")
    func playback() async throws {
        let file = try MediaTool.inFolder {
            try $0.film("c.mp4", ["-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1"])
        }
        let movie = try Movie(file: file)
        let (records, isDone) = try await Self.decode(file, samples: [0], playback: 160)
        #expect(isDone)
        var times: [Int64] = []
        for case .playbackSample(let sample) in records { times.append(sample.time) }
        #expect(times.sorted() == movie.video.samples.map(\.time).sorted())
        let formats = records.compactMap {
            if case .playbackFormat(let width, let height, let configuration) = $0 { (width, height, configuration) } else { nil }
        }
        try #require(formats.count == 1 && formats[0].2.count > 11)
        let (width, height, configuration) = formats[0]
        #expect(width == 160 && height == 120 && configuration[0] == 1)
        // Level 1.1 of the sequence parameter set and of `avcC`: 80 macroblocks 30 times a second, whatever the timescale.
        #expect(configuration[3] == 11 && configuration[8] & 0x1f == 7 && configuration[11] == 11)
    }

    @Test("damaged streams end as an answer, within their limits, and the pool goes on")
    func damaged() async throws {
        let file = try MediaTool.inFolder { try $0.film("a.mp4", sound: false, ["-c:v", "libx264"]) }
        let movie = try Movie(file: file)
        var generator = SystemSeed(seed: 20_261_123)
        let limits = InspectionLimits(wallClock: .seconds(60), cpu: .seconds(10), memoryBytes: 1 << 30, outputBytes: 1 << 20)
        let pool = Self.pool(limits: limits)
        let count = ProcessInfo.processInfo.environment["RIAL_TEST_FAULTS"] == "full" ? 1000 : 24
        for _ in 0..<count {
            var bytes = file
            for _ in 0..<1 + Int(generator.next() % 12) {
                let sample = movie.video.samples[Int(generator.next() % UInt64(movie.video.samples.count))]
                bytes[Int(sample.offset) + Int(generator.next() % UInt64(sample.size))] = UInt8(truncatingIfNeeded: generator.next())
            }
            let start = ContinuousClock.now
            let (records, isDone) = try await Self.decode(bytes, samples: [0, 9, 18], by: pool)
            #expect(start.duration(to: .now) < limits.wallClock)
            #expect(!isDone || Self.pictures(records) >= 0, "the end is the last record")
            for case .luma(let sample, let width, let height, let pixels) in records {
                #expect([0, 9, 18].contains(sample) && width == 64 && height == 48 && pixels.count == 64 * 48)
            }
        }
        #expect(try await Self.decode(file, samples: [0], by: pool).isDone)
    }

    private static let film = Result { try MediaTool.inFolder { try $0.film("a.mp4", sound: false, ["-c:v", "libx264"]) } }

    /// Decodes a film with a script in the decoder's place.
    /// - Parameters:
    ///   - test: what the script does when it shall test itself.
    ///   - seconds: by the clock.
    /// - Returns: also how often the script ran, apart from its tests.
    private static func decode(
        by script: String, test: String = "exit 0", seconds: Int = 20
    ) async throws -> (records: [DecodedRecord], isDone: Bool, runs: Int) {
        let file = try film.get()
        return try await MediaTool.inFolder { tool in
            let lines = ["#!/bin/sh", "cd \(tool.folder.path)", "case \"$*\" in *--self-test*) \(test);; esac", "echo >> runs", script]
            try tool.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "decoder")
            let path = tool.folder.appending(path: "decoder").path
            chmod(path, 0o755)
            let limits = InspectionLimits(wallClock: .seconds(seconds), cpu: .seconds(5), memoryBytes: 1 << 30, outputBytes: 1 << 20)
            let (records, isDone) = try await decode(file, samples: [0], by: pool(path, limits: limits))
            return (records, isDone, try tool.bytes("runs").count)
        }
    }

    @Test(
        "a decoder that hangs is ended at its time, one that writes anything else is no answer; where it may be the machine, it runs twice",
        arguments: [
            ("sleep 60", 6, 2), ("kill -KILL $$", 20, 2), ("head -c 100000 /dev/zero", 20, 1), ("exit 0", 20, 1), ("exit 1", 20, 1),
            ("kill -SEGV $$", 20, 1), ("kill -SYS $$", 20, 1),
        ])
    func misbehaving(script: String, seconds: Int, runs: Int) async throws {
        let decoded = try await Self.decode(by: script, seconds: seconds)
        #expect(!decoded.isDone && decoded.runs == runs)
    }

    @Test("what was decoded before a decoder was killed from outside does not count")
    func again() async throws {
        // The poster is the first record, of 230,413 bytes.
        let program = "'\(Self.program)' \"$@\""
        let script = "[ -e begun ] && exec \(program)\ntouch begun\n\(program) | head -c 231000\nkill -KILL $$"
        let (decoded, plain) = (try await Self.decode(by: script), try await Self.decode(Self.film.get(), samples: [0]))
        #expect(decoded.isDone && decoded.runs == 2)
        #expect(decoded.records == plain.records)
    }

    @Test(
        "a decoder that cannot start, or does not pass its own test afterwards, says nothing of the file",
        arguments: [
            ("exit 127", "exit 0"), ("exit 64", "exit 0"), ("exit 78", "exit 0"), ("exit 1", "exit 78"), ("kill -SEGV $$", "kill -SEGV $$"),
            ("kill -SYS $$", "exit 127"),
        ])
    func unavailable(script: String, test: String) async throws {
        await #expect {
            _ = try await Self.decode(by: script, test: test)
        } throws: { error in
            guard case .unavailable? = error as? InspectionError else { return false }
            return true
        }
    }
}

/// A generator of numbers that are the same every time (xorshift64).
private struct SystemSeed {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
