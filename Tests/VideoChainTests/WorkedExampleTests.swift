import CaptureProtocol
import Crypto
import Foundation
import Movie
import Testing
import VideoChain

/// The example of SPEC §10.2, digit for digit.
@Suite("Chain of a video: the worked example")
struct WorkedExampleTests {
    private static let recordingText =
        #"{"id":"00000000-0000-4000-8000-000000000000","started_at":"2026-01-01T00:00:00Z","device_model":"iPhone 15 Pro"}"#
    private let recording = ContentDigest(of: Array(Self.recordingText.utf8))
    private let format = VideoFormat(
        codec: .h264, width: 16, height: 16, rotation: .quarter, timescale: 600, configuration: [1, 2, 3])
    private let soundFormat = SoundFormat(timescale: 44_100, channels: 1, sampleRate: 44_100, descriptor: [4, 5])

    private var depth: [UInt8] {
        [Float](arrayLiteral: 1, 1.5, 2, 0.5).flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }
    }

    private func frames() -> [FrameChain] {
        var chain = FrameChain(recording: recording, format: format, depthWidth: 2, depthHeight: 2)
        var states = [chain]
        for (text, time, map) in [("a", Int64(0), depth as [UInt8]?), ("bc", 20, nil), ("def", 40, nil)] {
            chain.append(sample: ContentDigest(of: Array(text.utf8)), depth: map.map { ContentDigest(of: $0) }, time: time)
            states.append(chain)
        }
        return states
    }

    private func sound() -> [SoundChain] {
        var chain = SoundChain(recording: recording, format: soundFormat)
        var states = [chain]
        for (text, time) in [("x", Int64(0)), ("yz", 1024)] {
            chain.append(packet: ContentDigest(of: Array(text.utf8)), time: time)
            states.append(chain)
        }
        return states
    }

    @Test("the recording's digest")
    func recordingDigest() {
        #expect(recording.hex == "eaa17be7a84a21ace7f3597a612ca3198441f5ac084093a8978342d012ede51a")
    }

    @Test("H(0) to H(3)")
    func frameHashes() {
        #expect(
            frames().map(\.hash.hex) == [
                "d0c41b59e998f5456f821ad75ac42de50baa13cbe8b3b384bb761769cec03df3",
                "675fcd417ff8079bb49da4f8142f9ca1c41a567cb57a1eff483e9801c56bd3ae",
                "c4ea322f1e55dcf3f180dbc69ef7f80a002c390f6c766bae45dc53537a72ab49",
                "a15eaeaf923dd75d4a47be597b0110d78db5fa4cc22f539bef0a353ab5a4aead",
            ])
        #expect(frames().map(\.count) == [0, 1, 2, 3])
    }

    @Test("A(0) to A(2)")
    func soundHashes() {
        #expect(
            sound().map(\.hash.hex) == [
                "42b7b26b582a1920db2ff4021287bbea894fef19a10dab44f07a984d0751d59e",
                "0cd4c11494f39143a5aa431f3e0b8cc2e2019e3aedb7bc66e6146200856c993b",
                "3cbf844224fc0625021cf52cd4c752a051df3ae8c57c7a4ed3cebbb479432240",
            ])
    }

    @Test("the depth data, inflated")
    func depthData() {
        let bytes = DepthData.header(width: 2, height: 2) + DepthData.recordHeader(sample: 0, time: 0) + depth
        #expect(
            Hex.encode(bytes) == "524c4450020000000200020000000000" + "00000000000000000000000000000000"
                + "0000803f0000c03f000000400000003f")
    }

    @Test("what checkpoint 0 signs, with sound and without")
    func checkpoint() {
        let chain = frames()[2]
        func hash(_ packets: Int, _ sound: ContentDigest) -> String {
            VideoClientData.hash(
                of: VideoCheckpoint(
                    index: 0, frames: chain.count, hash: chain.hash, soundFrames: packets, soundHash: sound, assertion: nil)
            ).hex
        }
        #expect(hash(1, sound()[1].hash) == "a564cbacd2d9a053a74dd644534120cdce726897e491dacbe7423536d7daffec")
        #expect(hash(0, .zero) == "25ef9db80b56fde3f0842a2b46dbe055b214f95e4fe1e3affc83ad6dd10cf247")
    }

    @Test("what the final assertion signs")
    func final() {
        func digest(_ text: String) -> ContentDigest { ContentDigest(of: Array(text.utf8)) }
        let hash = VideoClientData.final(
            video: digest("video"), depth: digest("depth"), metadata: digest("metadata"), hashChain: digest("chain"))
        #expect(hash.hex == "6490b11f1a7a189ffa1ea26213495a1058eee4bd11cfbbf04b1a8e8718ab1a76")
    }
}
