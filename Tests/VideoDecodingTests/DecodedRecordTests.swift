import Testing

@testable import VideoDecoding

@Suite("Records of the decoder, which may be compromised")
struct DecodedRecordTests {
    private static let latest: Int64 = 1 << 46

    private func isTaken(time: Int64, decodeTime: Int64) -> Bool {
        var reader = DecodedRecordReader()
        let sample = DecodedRecord.PlaybackSample(time: time, decodeTime: decodeTime, isSync: true, bytes: [1])
        return reader.feed(DecodedRecord.playbackSample(sample).encoded[...]) { _ in true }
    }

    @Test("samples at times that no video has are refused: their differences could overflow")
    func times() {
        for time in [0, Self.latest, -Self.latest] {
            #expect(isTaken(time: time, decodeTime: 0) && isTaken(time: 0, decodeTime: time))
        }
        for time in [Self.latest + 1, -Self.latest - 1, .min, .max] {
            #expect(!isTaken(time: time, decodeTime: 0) && !isTaken(time: 0, decodeTime: time))
        }
    }
}
