import CaptureProtocol
import Movie
import VideoChain

/// A recording of 12 samples, a depth map for every third, and two packets of sound.
struct ShortRecording {
    let format = VideoFormat(codec: .hevc, width: 64, height: 48, rotation: .none, timescale: 600, configuration: [9])
    let recording = ContentDigest(of: Array("recording".utf8))
    var times: [Int64] = (0..<12).map { Int64($0 * 20) }
    var frames: [ContentDigest] = (0..<12).map { ContentDigest(of: [UInt8($0)]) }
    var maps: [(record: DepthRecord, values: [UInt8])] = (0..<4).map { (index: Int) -> (record: DepthRecord, values: [UInt8]) in
        let record = DepthRecord(sample: UInt32(index) * 3, time: Int64(index) * 60)
        return (record, [UInt8(100 + index), 0, 0, 0])
    }
    var packets: [ContentDigest] = []
    var hasSoundTrack = false
    var hashes: [ContentDigest] = []
    var finalHash = ContentDigest.zero
    var soundFinal: ContentDigest?
    var checkpoints: [VideoCheckpoint] = []
    var durationMilliseconds: Int64 = 400
    private var claimedPackets = 0

    init(hasSound: Bool = true) {
        var chain = FrameChain(recording: recording, format: format, depthWidth: 1, depthHeight: 1)
        for (index, time) in times.enumerated() {
            let map = maps.first { $0.record.sample == UInt32(index) }
            chain.append(sample: frames[index], depth: map.map { ContentDigest(of: $0.values) }, time: time)
            hashes.append(chain.hash)
        }
        finalHash = chain.hash
        if hasSound {
            hasSoundTrack = true
            packets = [ContentDigest(of: [1]), ContentDigest(of: [2])]
        }
        claimedPackets = packets.count
        let states = sound
        soundFinal = states?.last
        checkpoints = [
            VideoCheckpoint(
                index: 0, frames: 6, hash: hashes[5], soundFrames: hasSound ? 1 : 0, soundHash: states?[1] ?? .zero, assertion: nil)
        ]
    }

    private var soundFormat: SoundFormat { SoundFormat(timescale: 1000, channels: 1, sampleRate: 1000, descriptor: [7]) }
    private var sound: [ContentDigest]? {
        guard hasSoundTrack else { return nil }
        var chain = SoundChain(recording: recording, format: soundFormat)
        var states = [chain.hash]
        for (index, packet) in packets.enumerated() {
            chain.append(packet: packet, time: Int64(index * 20))
            states.append(chain.hash)
        }
        return states
    }

    var result: (isIntact: Bool, breakAtFrame: Int?) {
        let compared = compare()
        return (compared.isIntact, compared.breakAtFrame)
    }

    var movie: Movie {
        func samples(_ times: [Int64]) -> [MovieSample] {
            times.map { MovieSample(offset: 0, size: 1, decodeTime: $0, duration: 20, time: $0, isSync: true) }
        }
        let track = SoundTrack(format: soundFormat, samples: samples(packets.indices.map { Int64($0 * 20) }), edit: nil)
        return Movie(
            majorBrand: "isom", timescale: 600, video: VideoTrack(format: format, samples: samples(times), firstOffset: 0, edit: nil),
            sound: hasSoundTrack ? track : nil, createdAt: nil, quickTimeCreationDate: nil, quickTimeModel: nil, moov: 0..<1,
            durationMilliseconds: durationMilliseconds)
    }

    func compare() -> ChainComparison {
        var digests = DepthDigests()
        for (record, values) in maps {
            values.withUnsafeBytes { digests.take($0) }
            digests.end(record)
        }
        return ChainComparison(
            of: HashChain(
                frameHashes: hashes, finalHash: finalHash, soundFrames: claimedPackets, soundFinalHash: soundFinal, checkpoints: checkpoints
            ),
            recording: recording, movie: movie, depthWidth: 1, depthHeight: 1, depth: digests, frames: frames, packets: packets)
    }
}
