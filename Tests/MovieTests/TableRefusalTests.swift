import Foundation
import TestSupport
import Testing

@testable import Movie

@Suite("Sample tables")
struct TableRefusalTests {
    /// Where the samples lie, and where `moov` does.
    static let movie = try? Movie(file: SmallFilm.bytes())
    static let firstSample = Int(movie?.video.samples.first?.offset ?? 0)

    static let sizes = [30, 31, 32, 33, 34, 35]

    static let lies = [
        Lie("400 sizes where there are 6", .tableLength) { $0.video.table["stsz"].put(be32(400), at: 8) },
        Lie("2³¹ sizes", .tableLength) { $0.video.table["stsz"].put(be32(1 << 31), at: 8) },
        Lie("2³² − 1 samples of one size", .sampleCount) { $0.video.table["stsz"].payload = be32(0) + be32(1) + be32(-1) },
        Lie("1001 pictures of one size", .sampleCount) { $0.video.table["stsz"].payload = be32(0) + be32(1) + be32(1001) },
        Lie("4097 packets of one size", .sampleCount) { $0.sound.table["stsz"].payload = be32(0) + be32(1) + be32(4097) },
        Lie("no pictures", .sampleCount) { $0.video.table["stsz"].payload = be32(0) + be32(0) + be32(0) },
        Lie("one size and a table", .tableLength) { $0.video.table["stsz"].put(be32(30), at: 4) },
        Lie("an empty sample", .emptySample) { $0.video.table["stsz"].put(be32(0), at: 16) },
        Lie("five sizes", .tablesDisagree) { $0.video.table["stsz"].payload = be32(0) + be32(0) + be32(5) + sizes.prefix(5).flatMap(be32) },
        Lie("durations of five samples", .tablesDisagree) { $0.video.table["stts"].entries([5, 20], perEntry: 2) },
        Lie("durations of seven samples", .tablesDisagree) { $0.video.table["stts"].entries([7, 20], perEntry: 2) },
        Lie("durations of 2³² samples", .tablesDisagree) { $0.video.table["stts"].entries([6, 20, -6, 1], perEntry: 2) },
        Lie("no durations", .tablesDisagree) { $0.video.table["stts"].entries([]) },
        Lie("more durations than the table holds", .tableLength) { $0.video.table["stts"].entries([6, 20], count: 2) },
        Lie("offsets of five samples", .tablesDisagree) { $0.video.table["ctts"].entries([5, 20], perEntry: 2) },
        Lie("an offset of no sample", .tablesDisagree) { $0.video.table["ctts"].entries([0, 20, 6, 20], perEntry: 2) },
        Lie("more offsets than the table holds", .tableLength) { $0.video.table["ctts"].put(be32(1 << 29), at: 4) },
        Lie("sync samples that descend", .tablesDisagree) { $0.video.table["stss"].entries([1, 5, 4]) },
        Lie("a sync sample behind the last", .tablesDisagree) { $0.video.table["stss"].entries([1, 7]) },
        Lie("more sync samples than the table holds", .tableLength) { $0.video.table["stss"].entries([1], count: 1 << 31) },
        Lie("no sync sample", .firstSampleNotSync) { $0.video.table["stss"].entries([]) },
        Lie("a first sample that is none", .firstSampleNotSync) { $0.video.table["stss"].entries([2]) },
        Lie("a chunk offset too many", .tablesDisagree) {
            $0.video.table["stco"].payload += be32(firstSample)
            $0.video.table["stco"].put(be32(7), at: 4)
        },
        Lie("chunks of no samples", .tablesDisagree) { $0.video.table["stsc"].entries([1, 0, 1], perEntry: 3) },
        Lie("chunks of 2³² − 1 samples", .tablesDisagree) { $0.video.table["stsc"].entries([1, -1, 1], perEntry: 3) },
        Lie("chunks from the second on", .tablesDisagree) { $0.video.table["stsc"].entries([2, 1, 1], perEntry: 3) },
        Lie("chunks that descend", .tablesDisagree) { $0.video.table["stsc"].entries([1, 1, 1, 3, 1, 1, 2, 1, 1], perEntry: 3) },
        Lie("chunks behind the last", .tablesDisagree) { $0.video.table["stsc"].entries([1, 1, 1, 9, 1, 1], perEntry: 3) },
        Lie("no chunks", .tablesDisagree) { $0.video.table["stsc"].entries([]) },
        Lie("more chunks than the table holds", .tableLength) { $0.video.table["stco"].put(be32(1 << 30), at: 4) },
        Lie("offsets of both widths", .boxMissing) { $0.video.table.children.append(TestBox("co64", be32(0) + be32(0))) },
        Lie("a chunk past the end", .sampleOutsideMediaData) { $0.video.table["stco"].put(be32(1 << 24), at: 8) },
        Lie("a sample inside moov", .sampleOutsideMediaData) { $0.video.table["stco"].put(be32($0.fileBytes.count - 60), at: 8) },
        Lie("a sample inside ftyp", .sampleOutsideMediaData) { $0.video.table["stco"].put(be32(0), at: 8) },
        Lie("a sample that begins before mdat", .sampleOutsideMediaData) { $0.video.table["stco"].put(be32(firstSample - 1), at: 8) },
        Lie("a sample that ends behind mdat", .sampleOutsideMediaData) { $0.sound.table["stsz"].put(be32(12), at: 12 + 4 * 9) },
        Lie("no mdat", .sampleOutsideMediaData) { $0["mdat"].type = "free" },
        Lie("two chunks at one place", .samplesOverlap) { $0.video.table["stco"].put($0.video.table["stco"].payload[8..<12] + [], at: 12) },
        Lie("a sample inside another's end", .samplesOverlap) { $0.video.table["stsz"].put(be32(31), at: 12) },
        Lie("a sample of both tracks", .samplesOverlap) { $0.sound.table["stco"].put($0.video.table["stco"].payload[8..<12] + [], at: 8) },
        Lie("a 64-bit offset whose sample ends behind 2⁶³", .sampleOutsideMediaData) { long($0, be64(.max - 1)) },
        Lie("a 64-bit offset of 2⁶⁴ − 1", .sampleOutsideMediaData) { long($0, be64(-1)) },
    ]

    /// Puts the pictures into one chunk.
    private static func long(_ file: TestBox, _ offset: [UInt8]) {
        file.video.table.remove("stco")
        file.video.table["stsc"].entries([1, 6, 1], perEntry: 3)
        file.video.table.children.append(TestBox("co64", be32(0) + be32(1) + offset))
    }

    @Test("are refused if they lie", arguments: lies)
    func refuses(lie: Lie) { #expect(refusal(lie.bytes) == lie.code) }

    @Test("may have offsets of 64 bits")
    func longOffsets() throws {
        let file = SmallFilm.file()
        let offsets = stride(from: 8, to: file.video.table["stco"].payload.count, by: 4).map {
            file.video.table["stco"].payload[$0..<$0 + 4]
        }
        file.video.table.remove("stco")
        file.video.table.children.append(TestBox("co64", be32(0) + be32(offsets.count) + offsets.flatMap { [0, 0, 0, 0] + $0 }))
        #expect(try Movie(file: file.fileBytes).video == Movie(file: SmallFilm.bytes()).video)
    }

    @Test("have every sample once in an mdat, also where these touch")
    func touching() {
        let file = SmallFilm.file()
        let data = file["mdat"].payload
        // A sample of 30 bytes, then others: a second mdat that begins inside the first one's samples.
        file.children.insert(TestBox("mdat", Array(data.dropFirst(20))), at: 2)
        file["mdat"].payload = Array(data.prefix(20))
        #expect(refusal(file.fileBytes) == .sampleOutsideMediaData)
    }

    @Test("without sync samples make every sample one")
    func allSync() throws {
        let file = SmallFilm.file()
        file.video.table.remove("stss")
        let samples = try Movie(file: file.fileBytes).video.samples
        #expect(samples.allSatisfy { $0.isSync })
    }

    @Test("have 1000 pictures and 4096 packets at most")
    func most() throws {
        let file = SmallFilm.file()
        for (track, count, runs) in [(file.video, 1000, [1000, 1]), (file.sound, 4096, [4096, 100])] {
            for table in ["stss", "ctts"] { track.table.remove(table) }
            track.remove("edts")
            track.table["stsz"].payload = be32(0) + be32(1) + be32(count)
            track.table["stsc"].entries([1, count, 1], perEntry: 3)
            track.table["stts"].entries(runs, perEntry: 2)
        }
        file["mdat"].payload = Array(repeating: 7, count: 5096)
        file.video.table["stco"].entries([Self.firstSample])
        file.sound.table["stco"].entries([Self.firstSample + 1000])
        let movie = try Movie(file: file.fileBytes)
        #expect(movie.video.samples.count == 1000 && movie.sound?.samples.count == 4096)
        #expect(movie.video.samples.last?.time == 999)
    }

    @Test("with any byte changed are refused or keep every rule")
    func changed() throws {
        let bytes = SmallFilm.bytes()
        let moov = try #require(Self.movie).moov
        for index in Int(moov.lowerBound)..<bytes.count {
            for change: UInt8 in [1, 0x7f, 0x80, 0xff] {
                var changed = bytes
                changed[index] ^= change
                guard let movie = try? Movie(file: changed) else { continue }
                let samples = movie.video.samples + (movie.sound?.samples ?? [])
                #expect(samples.allSatisfy { $0.offset >= 0 && $0.size > 0 && $0.offset + Int64($0.size) <= moov.lowerBound })
                #expect(PublicMovie(movie, startedAt: .distantPast).length > 0)
            }
        }
    }
}
