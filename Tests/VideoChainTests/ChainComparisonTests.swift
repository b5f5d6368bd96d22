import CaptureProtocol
import Foundation
import Movie
import Testing
import VideoChain

@Suite("Comparing a chain with its file")
struct ChainComparisonTests {
    private let recorded = ShortRecording()

    @Test("the chain of the file is intact")
    func intact() {
        #expect(recorded.result == (true, nil))
        #expect(ShortRecording(hasSound: false).compare().isIntact)
    }

    @Test("another sample breaks it there", arguments: [0, 1, 7, 11])
    func sample(index: Int) {
        var changed = recorded
        changed.frames[index] = ContentDigest(of: [0xff])
        #expect(changed.result == (false, index))
    }

    @Test("another depth map breaks it at its sample")
    func depth() {
        var changed = recorded
        changed.maps[2].values[0] ^= 1
        #expect(changed.result == (false, 6))
    }

    @Test(
        "a map that names another sample, or another time, breaks it at its own",
        arguments: [(UInt32(7), Int64(120)), (6, 121), (4000, 120)])
    func misplaced(sample: UInt32, time: Int64) {
        var changed = recorded
        changed.maps[2].record = DepthRecord(sample: sample, time: time)
        let result = changed.compare()
        #expect(!result.isIntact && result.breakAtFrame == 6)
    }

    @Test("a map too many is found, although no hash covers it")
    func extraMap() {
        var changed = recorded
        changed.maps.append((DepthRecord(sample: 900, time: 10_000), [1, 2, 3, 4]))
        #expect(changed.result == (false, nil))
    }

    @Test("hashes missing at the end, or too many, break it where one of them ends")
    func length() {
        var shorter = recorded
        shorter.hashes.removeLast()
        #expect(shorter.result == (false, 11))
        var longer = recorded
        longer.hashes.append(.zero)
        #expect(longer.result == (false, 12))
    }

    @Test("another time of a sample breaks it there")
    func time() {
        var changed = recorded
        changed.times[5] += 1
        #expect(changed.compare().breakAtFrame == 5)
    }

    @Test("another packet of sound is found, without a frame")
    func packet() {
        var changed = recorded
        changed.packets[1] = .zero
        #expect(changed.result == (false, nil))
    }

    @Test("sound that is gone, or came, is found")
    func soundTrack() {
        var changed = recorded
        changed.hasSoundTrack = false
        #expect(!changed.compare().isIntact)
        var silent = ShortRecording(hasSound: false)
        silent.hasSoundTrack = true
        #expect(!silent.compare().isIntact)
    }

    @Test("another final hash, or another checkpoint, is found without a frame")
    func claims() {
        var final = recorded
        final.finalHash = .zero
        #expect(final.result == (false, nil))
        for change in 0..<4 {
            var changed = recorded
            let point = changed.checkpoints[0]
            changed.checkpoints[0] = VideoCheckpoint(
                index: point.index, frames: point.frames + (change == 0 ? 1 : 0), hash: change == 1 ? .zero : point.hash,
                soundFrames: point.soundFrames + (change == 2 ? 1 : 0), soundHash: change == 3 ? .zero : point.soundHash, assertion: nil)
            #expect(changed.result == (false, nil), "\(change)")
        }
    }

    @Test("a checkpoint past the end is no trap")
    func checkpointPastEnd() {
        var changed = recorded
        changed.checkpoints = [
            VideoCheckpoint(index: 0, frames: 1000, hash: .zero, soundFrames: 4096, soundHash: .zero, assertion: nil)
        ]
        #expect(!changed.compare().isIntact)
    }

    @Test("verified time is the least time that is not verified, or the end")
    func verifiedTime() {
        // Decoding order: 0, 40, 20 ms, 80, 60.
        let samples = [0, 24, 12, 48, 36].map { MovieSample(offset: 0, size: 1, decodeTime: 0, duration: 12, time: $0, isSync: true) }
        let track = VideoTrack(format: recorded.format, samples: samples, firstOffset: 0, edit: nil)
        #expect((0...5).map { track.verifiedMilliseconds(of: $0, duration: 100) } == [0, 20, 20, 60, 60, 100])
    }

    @Test("checkpoints are due before the first sample at 5, 10, … seconds")
    func clock() {
        var clock = CheckpointClock(timescale: 600)
        #expect(clock.pass(2999) == nil)
        #expect(clock.covers(sound: 220_499, soundTimescale: 44_100) && !clock.covers(sound: 220_500, soundTimescale: 44_100))
        #expect(clock.pass(3000) == 0)
        #expect(clock.pass(3020) == nil)
        #expect(clock.pass(9500) == 2)
        #expect(clock.index == 3 && CheckpointClock.milliseconds(of: 2) == 15_000)
    }
}

@Suite("Digests of samples")
struct SampleDigestsTests {
    @Test("are those of the samples, whatever the chunks", arguments: [1, 3, 8, 64, 1000])
    func chunks(size: Int) throws {
        let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        func sample(_ offset: Int64, _ size: Int) -> MovieSample {
            MovieSample(offset: offset, size: size, decodeTime: 0, duration: 1, time: offset, isSync: true)
        }
        // Not in the order of the file, with gaps, two of them touching.
        let video = [sample(200, 50), sample(40, 10), sample(390, 10)]
        let sound = [sample(50, 7), sample(300, 1)]
        let format = VideoFormat(codec: .h264, width: 1, height: 1, rotation: .none, timescale: 1, configuration: [])
        let movie = Movie(
            majorBrand: "isom", timescale: 1, video: VideoTrack(format: format, samples: video, firstOffset: 0, edit: nil),
            sound: SoundTrack(
                format: SoundFormat(timescale: 1, channels: 1, sampleRate: 1, descriptor: []), samples: sound, edit: nil),
            createdAt: nil, quickTimeCreationDate: nil, quickTimeModel: nil, moov: 100..<130, durationMilliseconds: 1)
        var digests = SampleDigests(of: movie)
        var rest = bytes[...]
        while !rest.isEmpty {
            #expect(digests.finish() == nil)
            Array(rest.prefix(size)).withUnsafeBytes { digests.update($0) }
            rest = rest.dropFirst(size)
        }
        let found = try #require(digests.finish())
        func expected(_ samples: [MovieSample]) -> [ContentDigest] {
            samples.map { ContentDigest(of: bytes[Int($0.offset)..<Int($0.offset) + $0.size]) }
        }
        #expect(found.frames == expected(video))
        #expect(found.packets == expected(sound))
        #expect(found.movieBox == ContentDigest(of: bytes[100..<130]))
    }
}
