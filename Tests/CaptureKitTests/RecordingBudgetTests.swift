import CaptureProtocol
import Foundation
import Movie
import Testing

@testable import CaptureKit

@Suite("A recording whose file is as large as the server takes")
struct RecordingBudgetTests {
    private static let sound = SoundFormat(
        timescale: 44_100, channels: 1, sampleRate: 44_100, descriptor: [0x03, 0x19, 0, 0, 0, 0x04])

    /// A piece of sound behind each picture, of as many bytes.
    private actor SoundingCamera: FrameSource {
        private let pictures: NoiseCamera
        private let bytes: Int
        private var isPictureNext = true

        init(pictures: Int, bytes: Int) {
            self.pictures = NoiseCamera(pictures: pictures, bytes: bytes)
            self.bytes = bytes
        }

        func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
            defer { isPictureNext.toggle() }
            guard isPictureNext else { return .sound(.noise(bytes)) }
            return try await pictures.next()
        }
    }

    /// Gives pieces of sound as packets.
    private actor PlainSound: AudioEncoder {
        let format: SoundFormat? = RecordingBudgetTests.sound
        let priming: Int64 = 0
        private var packets: Int64 = 0

        func encode(_ sound: [UInt8]) -> [EncodedSample] {
            defer { packets += 1 }
            return [
                EncodedSample(bytes: sound, decodeTime: packets * 1024, presentationTime: packets * 1024, duration: 1024, isSync: true)
            ]
        }

        func finish() -> [EncodedSample] { [] }
    }

    @Test("ends whole, with all samples of both tracks until then and not one more", arguments: [1, 20, 2000])
    func full(bytes: Int) async throws {
        let budget = 30_000
        let rig = try StoreRig()
        let store = try await rig.open()
        let lock = try await FileLock.acquire(rig.folder.path + "/test.lock", .shared)
        let recorder = try VideoRecorder(
            VideoRecording(
                id: UUID(), startedAt: Date(timeIntervalSince1970: 1_800_000_000), deviceModel: "iPhone 15 Pro", osVersion: nil,
                location: nil),
            id: LocalID(), isQuickTime: false, privacy: nil, files: store.files, signer: QueueRecordingSigner(ScriptedSigning()),
            lock: lock, budget: RecordingBudget(bytes: RecordingBudget.fixedBytes + budget))
        try await recorder.record(from: SoundingCamera(pictures: 450, bytes: bytes), video: PlainEncoder(), sound: PlainSound())
        let capture = try await store.addRecording(recorder.id) { _ in .later }

        let facts = try #require(capture.facts.video)
        let samples = budget / (bytes + RecordingBudget.bytesPerSample)
        #expect(facts.frameCount == (samples + 1) / 2 && facts.soundPacketCount == samples / 2 && !facts.isPartial)
        let file = try store.bytes(.video, of: capture.id)
        #expect(file.count <= RecordingBudget.fixedBytes + budget)
        let movie = try Movie(file: file)
        #expect(movie.video.samples.count == facts.frameCount && movie.sound?.samples.count == facts.soundPacketCount)
    }

    @Test("takes no small sample either once one did not fit")
    func afterLarge() {
        var budget = RecordingBudget()
        let (large, small) = (Self.sample(1_000_000), Self.sample(1))
        // The last of them would leave no bytes for the tables.
        for number in 1..<SizeLimits.videoPart / 1_000_000 {
            let isTaken = budget.take(large)
            #expect(isTaken && !budget.isFull, "sample \(number)")
        }
        let others = [budget.take(large), budget.take(small)]
        #expect(others == [false, false] && budget.isFull)
    }

    @Test("adds no more to its samples than is reckoned, whatever their tables are", arguments: [MovieBrand.mp4, .quickTime])
    func tables(brand: MovieBrand) throws {
        var recording = MovieRecording(brand: brand)
        var (length, decodeTime) = (0, Int64(0))
        // Neighbours have nothing in common, so that every table has an entry for each.
        for number in 0..<900 {
            for track in [MovieSampleIndex.Track.video, .sound] where number % 3 != 2 || track == .video {
                let sample = MovieRecording.Sample(
                    track: track, size: 10 + number % 7, decodeTime: decodeTime, presentationTime: decodeTime + Int64(number % 5) * 3,
                    duration: 1, isSync: !number.isMultiple(of: 11) || number == 0)
                length += recording.append([sample]).count + sample.size
            }
            decodeTime += 10 + Int64(number % 2)
        }
        let pictures = try #require(PlainEncoder().format)
        let box = try #require(
            recording.movieBox(
                video: pictures, sound: Self.sound, createdAt: Date(timeIntervalSince1970: 1_800_000_000),
                quickTimeCreationDate: "2026-01-01T01:00:00+0100", quickTimeModel: String(repeating: "x", count: 100)))
        let bytes = recording.samples.reduce(0) { $0 + $1.sample.size + RecordingBudget.bytesPerSample }
        let rest = recording.head.count + length + box.count - bytes
        // Most of what is reckoned is for the formats' descriptions, a few bytes here.
        #expect(rest <= RecordingBudget.fixedBytes / 32)
    }

    private static func sample(_ bytes: Int) -> EncodedSample {
        EncodedSample(bytes: [UInt8](repeating: 1, count: bytes), decodeTime: 0, presentationTime: 0, duration: 20, isSync: true)
    }
}
