import CaptureProtocol
import Foundation
import Movie
import Testing
import VideoChain

@testable import CaptureKit

@Suite("A recording that was cut off around its first packet of sound")
struct RecordingCutTests {
    /// Where its log ends.
    enum Cut: CaseIterable {
        /// Right behind the entry that says what the packets of sound are.
        case behindSoundFormat
        /// Behind a packet that comes after a picture whose depth map is not there: the video ends before that one.
        case afterLostDepth
        /// Behind a packet that becomes part of the video.
        case behindPacket
    }

    private static let side = 4
    private static let pictures = VideoFormat(
        codec: .h264, width: 16, height: 16, rotation: .none, timescale: VideoTime.timescale,
        configuration: [1, 0x42, 0xc0, 0x1e, 0xff, 0xe1, 0])
    private static let sound = SoundFormat(timescale: 44_100, channels: 1, sampleRate: 44_100, descriptor: [0x03, 0x19, 0, 0, 0, 0x04])

    @Test("has a chain of sound with packets and none without, as the server computes it from the file", arguments: Cut.allCases)
    func cutOff(cut: Cut) async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let recording = try WireJSON.encode(
            VideoRecording(
                id: UUID(), startedAt: Date(timeIntervalSince1970: 1_800_000_000), deviceModel: "iPhone 15 Pro", osVersion: nil,
                location: nil))
        try Self.record(recording, until: cut, in: store)
        let captures = try await store.recoverRecordings { _ in .later }
        let capture = try #require(captures.first)
        guard case .chain(let chain) = try SubmittedHashChain.parse(store.bytes(.hashChain, of: capture.id)) else {
            throw CocoaError(.coderInvalidValue)
        }
        let file = try store.bytes(.video, of: capture.id)
        let movie = try Movie(file: file)
        let packets = cut == .behindPacket ? 1 : 0
        #expect(chain.frameHashes.count == 3 && capture.facts.video?.frameCount == 3)
        #expect(chain.soundFrames == packets && capture.facts.video?.soundPacketCount == packets)
        #expect((chain.soundFinalHash == nil) == (packets == 0) && movie.sound?.samples.count ?? 0 == packets)

        var samples = SampleDigests(of: movie)
        file.withUnsafeBytes { samples.update($0) }
        let digests = try #require(samples.finish())
        let depth = try InflatedDepthData.read(try store.bytes(.depth, of: capture.id), DepthDigests())
        let comparison = ChainComparison(
            of: chain, recording: ContentDigest(of: recording), movie: movie, depthWidth: UInt16(Self.side),
            depthHeight: UInt16(Self.side), depth: depth.visitor, frames: digests.frames, packets: digests.packets)
        #expect(comparison.isIntact && comparison.breakAtFrame == nil)
    }

    /// Writes a log of three pictures with the depth of the first one, and what comes then.
    private static func record(_ recording: [UInt8], until cut: Cut, in store: CaptureStore) throws {
        let writer = try RecordingWriter(
            try store.files.createLog(SealedItem(LocalID(), .recording)), recording: recording, isQuickTime: false,
            depthWidth: UInt16(side), depthHeight: UInt16(side), privacy: nil)
        let depth = try DepthPlane(bytes: [UInt8](repeating: 0x3f, count: side * side * 4), width: side, height: side)
        let digest = ContentDigest(of: depth.bytes)
        try writer.note(.pictures(.init(pictures)))
        try writer.append(depth, sample: 0, time: 0)
        try writer.append(picture(0), depth: digest)
        for number in 1...2 { try writer.append(picture(number)) }
        if cut == .afterLostDepth { try writer.append(picture(3), depth: digest) }
        try writer.note(.sound(.init(sound, priming: 0)))
        guard cut != .behindSoundFormat else { return }
        let packet = EncodedSample(bytes: [UInt8].noise(20), decodeTime: 0, presentationTime: 0, duration: 1024, isSync: true)
        try writer.append(packet, isSound: true)
    }

    private static func picture(_ number: Int) -> EncodedSample {
        let time = Int64(number) * 20
        return EncodedSample(
            bytes: .noise(50, seed: UInt64(number + 1)), decodeTime: time, presentationTime: time, duration: 20, isSync: number == 0)
    }
}
