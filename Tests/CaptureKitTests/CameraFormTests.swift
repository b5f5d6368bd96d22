import Movie
import Testing

@testable import CaptureKit

@Suite("What cameras give")
struct CameraFormTests {
    @Test("is every second picture of 60 per second, at its own time")
    func everySecond() {
        var clock = PictureClock()
        #expect((0..<7).map { clock.ticks(at: 1000 + Double($0) / 60) } == [0, nil, 20, nil, 40, nil, 60])
    }

    @Test("is every picture of 30 per second, early or late, with gaps where there is none")
    func unsteady() {
        var clock = PictureClock()
        let times = [5, 5.031, 5.068, 5.1, 5.3, 5.333]
        #expect(times.map { clock.ticks(at: $0) } == [0, 19, 41, 60, 180, 200])
    }

    @Test("never goes back, and is no number for times that are none", arguments: [4.9, 5.0, .nan, .infinity, -.infinity, 1e300])
    func hostile(time: Double) {
        var clock = PictureClock()
        #expect(clock.ticks(at: 5) == 0)
        #expect(clock.ticks(at: time) == nil)
        #expect(clock.ticks(at: 5.1) == 60)
    }

    @Test("is described as AAC as files describe it")
    func aac() throws {
        let format = try #require(AACDescription.format(sampleRate: 44_100, channels: 1, bitRate: 64_000))
        #expect(format.timescale == 44_100 && format.channels == 1 && format.sampleRate == 44_100)
        // 64,000 is 0x0000FA00; 0x1208 is AudioSpecificConfig of AAC (LC), 44,100 Hz, one channel.
        #expect(
            format.descriptor == [
                0x03, 0x19, 0, 0, 0, 0x04, 0x11, 0x40, 0x15, 0, 0, 0, 0, 0, 0xFA, 0, 0, 0, 0xFA, 0, 0x05, 0x02, 0x12, 0x08, 0x06, 0x01,
                0x02,
            ])
        let stereo = try #require(AACDescription.format(sampleRate: 48_000, channels: 2, bitRate: 128_000))
        #expect(stereo.descriptor[22...23] == [0x11, 0x90])
        #expect(AACDescription.format(sampleRate: 44_101, channels: 1, bitRate: 64_000) == nil)
        #expect(AACDescription.format(sampleRate: 44_100, channels: 6, bitRate: 64_000) == nil)
    }
}
