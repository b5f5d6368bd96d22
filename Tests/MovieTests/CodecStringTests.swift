import TestSupport
import Testing

@testable import Movie

@Suite("Codec strings")
struct CodecStringTests {
    private static func format(_ codec: VideoCodec, _ configuration: [UInt8]) -> VideoFormat {
        VideoFormat(codec: codec, width: 1920, height: 1080, rotation: .none, timescale: 600, configuration: configuration)
    }

    @Test("of H.264 are profile, constraints and level")
    func h264() {
        #expect(Self.format(.h264, [1, 0x64, 0, 0x28, 0xff, 0xe1, 0]).codecString == "avc1.640028")
        #expect(Self.format(.h264, [1, 0x42, 0xc0, 0x0d, 0xff, 0xe1, 0]).codecString == "avc1.42C00D")
        #expect(Self.format(.h264, [1, 0x64, 0, 0x28, 0xff, 0xe1]).codecString == nil)
    }

    @Test("of HEVC are profile, compatibility, tier, level and constraints")
    func hevc() {
        let rest = [UInt8](repeating: 0, count: 10)
        let main: [UInt8] = [1, 1, 0x60, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 93] + rest
        #expect(Self.format(.hevc, main).codecString == "hvc1.1.6.L93.B0")
        let high: [UInt8] = [1, 0x62, 0x20, 0, 0, 0, 0x90, 0, 0x0a, 0, 0, 0, 153] + rest
        #expect(Self.format(.hevc, high).codecString == "hvc1.A2.4.H153.90.0.A")
        let plain: [UInt8] = [1, 1, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 120] + rest
        #expect(Self.format(.hevc, plain).codecString == "hvc1.1.6.L120")
        #expect(Self.format(.hevc, Array(main.dropLast())).codecString == nil)
    }

    @Test(
        "of sound are the kind of object",
        arguments: [
            (SmallFilm.descriptor, "mp4a.40.2"),
            // Lengths in four bytes, an address and a stream to depend on; AAC-HE as type 5, and one escaped to 42.
            (
                [3, 0x80, 0x80, 0x80, 27, 0, 1, 0xc0, 0, 9, 2, 65, 65, 4, 17, 0x40] + Array(repeating: 0, count: 12) + [5, 2, 0x2b, 0x92],
                "mp4a.40.5"
            ),
            ([3, 22, 0, 1, 0, 4, 17, 0x40] + Array(repeating: 0, count: 12) + [5, 2, 0xf9, 0x40], "mp4a.40.42"),
            ([3, 18, 0, 1, 0, 4, 13, 0x6b] + Array(repeating: 0, count: 12), "mp4a.6B"),
        ] as [([UInt8], String)])
    func sound(descriptor: [UInt8], expected: String) {
        #expect(SoundFormat(timescale: 1, channels: 1, sampleRate: 1, descriptor: descriptor).codecString == expected)
    }

    @Test("are absent for every descriptor that is cut")
    func cut() {
        for count in 0..<SmallFilm.descriptor.count {
            let format = SoundFormat(timescale: 1, channels: 1, sampleRate: 1, descriptor: Array(SmallFilm.descriptor.prefix(count)))
            #expect(format.codecString == nil)
        }
    }
}
