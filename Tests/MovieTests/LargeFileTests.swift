import Foundation
import TestSupport
import Testing

@testable import Movie

@Suite("Files of more than 4 GiB")
struct LargeFileTests {
    private static let small = try? Movie(file: SmallFilm.bytes())

    @Test("have 64-bit offsets where they are needed, and a layout whose moov fits them")
    func layout() throws {
        let movie = try #require(Self.small)
        let large = movie.video.samples.map {
            MovieSample(
                offset: 0, size: 1 << 30, decodeTime: $0.decodeTime, duration: $0.duration, time: $0.time, isSync: $0.isSync)
        }
        let video = VideoTrack(format: movie.video.format, samples: large, firstOffset: movie.video.firstOffset, edit: movie.video.edit)
        let header = MovieHeader(brand: .mp4, timescale: movie.timescale, video: video, sound: movie.sound)
        let layout = MovieLayout(header, order: MovieLayout.interleaved(video, movie.sound))
        #expect(layout.length == Int64(layout.head.count) + 6 << 30 + 110)
        // The samples are not there; moov is read alone, and the scanner knows from the header that they are missing.
        let boxes = TestBox.file(layout.head)
        #expect(boxes.video.table["co64"].payload.count > 8 && boxes.video.table["stco"].payload.isEmpty)
        let start = Int64(boxes["ftyp"].bytes.count) + 8
        let payload = Array(boxes.movie.bytes.dropFirst(8))
        let read = try Movie(movieBox: payload, at: start..<start + Int64(payload.count), fileLength: layout.length)
        #expect(read.video.samples.map(\.size) == large.map(\.size))
        #expect(read.video.samples.first?.offset == Int64(layout.head.count))
        #expect(read.fileOrder == layout.order)
        #expect(refusal(layout.head) == .truncated)
    }

    @Test("are skipped over, not kept: 100 MB cost a header")
    func skipping() throws {
        var scanner = MovieScanner()
        try scanner.consume(MovieBrand.mp4.fileType[...])
        try scanner.consume((be32(100_000_000) + Array("mdat".utf8))[...])
        let chunk = [UInt8](repeating: 0, count: 1_000_000)
        for _ in 0..<99 { try scanner.consume(chunk[...]) }
        try scanner.consume(chunk[..<999_992])
        #expect(scanner.position == 100_000_024)
        try scanner.consume((be32(8) + Array("free".utf8))[...])
        #expect(throws: MovieError(.movieBoxMissing, "has no moov box")) { try scanner.finish() }
    }
}
