import TestSupport
import Testing

@testable import Movie

@Suite("Times and edit lists")
struct TimeRefusalTests {
    static let lies = [
        Lie("a picture before the first sample", .firstSampleNotFirstShown) { offsets($0, [20, -40, 0, 0, 40, 0]) },
        Lie("two pictures at one time", .sharedTime) { offsets($0, [20, 20, 0, 20, 40, 0]) },
        Lie("a second picture at the first one's time", .sharedTime) { offsets($0, [20, 0, 20, 20, 40, 40]) },
        Lie("15.6 s", .tooLong) { $0.video.table["stts"].entries([5, 20, 1, 15_600 * 6 / 10 - 100], perEntry: 2) },
        Lie("15.6 s of sound", .tooLong) { $0.sound.table["stts"].entries([10, 68_796], perEntry: 2) },
        Lie("durations of 2³² − 1", .tooLong) { $0.video.table["stts"].entries([6, -1], perEntry: 2) },
        Lie("a picture shown after 16 s", .tooLong) { offsets($0, [20, 60, 0, 0, 9600, 0]) },
        Lie("a beginning at 5 s", .editList) { $0.sound.edit([(120, 220_500, 1 << 16)]) },
        Lie("twice the speed", .editList) { $0.video.edit([(120, 20, 2 << 16)]) },
        Lie("a little more than the speed", .editList) { $0.video.edit([(120, 20, 1 << 16 + 1)]) },
        Lie("no speed", .editList) { $0.video.edit([(120, 20, 0)]) },
        Lie("two parts", .editList) { $0.video.edit([(60, 20, 1 << 16), (60, 80, 1 << 16)]) },
        Lie("two pauses", .editList) { $0.video.edit([(10, -1, 1 << 16), (10, -1, 1 << 16)]) },
        Lie("a pause and two parts", .editList) { $0.video.edit([(10, -1, 1 << 16), (60, 20, 1 << 16), (60, 80, 1 << 16)]) },
        Lie("a pause behind", .editList) { $0.video.edit([(120, 20, 1 << 16), (10, -1, 1 << 16)]) },
        Lie("a pause alone", .editList) { $0.video.edit([(10, -1, 1 << 16)]) },
        Lie("a pause of over half a second", .editList) { $0.video.edit([(301, -1, 1 << 16), (120, 20, 1 << 16)]) },
        Lie("a beginning at −2", .editList) { $0.video.edit([(120, -2, 1 << 16)]) },
        Lie("its first picture hidden", .editList) { $0.video.edit([(100, 40, 1 << 16)]) },
        Lie("over half of its first picture hidden", .editList) { $0.video.edit([(110, 31, 1 << 16)]) },
        Lie("its last two pictures hidden", .editList) { $0.video.edit([(80, 20, 1 << 16)]) },
        Lie("over one and a half pictures hidden at its end", .editList) { $0.video.edit([(88, 20, 1 << 16)]) },
        Lie("its last second hidden where the movie counts in seconds", .editList) { file in
            file.video.table["stts"].entries([6, 200], perEntry: 2)
            file.video.table.remove("ctts")
            file.movie["mvhd"].put(be32(1), at: 12)
            file.video.edit([(1, 0, 1 << 16)])
            file.sound.remove("edts")
        },
        Lie("0.21 s of sound hidden", .editList) { $0.sound.edit([(20, 9261, 1 << 16)]) },
        Lie("its last two packets of sound hidden", .editList) { $0.sound.edit([(97, 1024, 1 << 16)]) },
        Lie("an edit of an hour", .tooLong) { $0.video.edit([(3600 * 600, 20, 1 << 16)]) },
        Lie("a table that claims more edits", .tableLength) { $0.video["edts/elst"].put(be32(2), at: 4) },
        Lie("an edit of version 1 that ends behind 2⁶³", .editList) {
            $0.video["edts/elst"].payload = [1, 0, 0, 0] + be32(1) + be64(120) + be64(.max) + be32(1 << 16)
        },
        Lie("an edit of 2⁶⁴ − 1", .tooLong) {
            $0.video["edts/elst"].payload = [1, 0, 0, 0] + be32(1) + be64(-1) + be64(20) + be32(1 << 16)
        },
        Lie("no edit list and a first picture 0.6 s late", .editList) {
            $0.video.remove("edts")
            offsets($0, [360, 400, 340, 340, 380, 340])
        },
        Lie("no edit list and a first picture before 0", .editList) {
            $0.video.remove("edts")
            offsets($0, [-11, 29, -31, -31, 9, -31])
        },
    ]

    private static func offsets(_ file: TestBox, _ offsets: [Int]) {
        file.video.table["ctts"].entries(offsets.flatMap { [1, $0] }, perEntry: 2)
    }

    @Test("are refused if they hide something", arguments: lies)
    func refuses(lie: Lie) { #expect(refusal(lie.bytes) == lie.code) }

    /// Duration and media time of the last edit, and how long a pause is before it.
    @Test(
        "may be off by what writers are off by",
        arguments: [(120, 20, 0), (120, 20, 300), (110, 30, 0), (90, 20, 0), (89, 20, 0), (0, 20, 0), (200, 20, 0), (120, 0, 0)])
    func tolerated(duration: Int, mediaTime: Int, pause: Int) throws {
        let file = SmallFilm.file()
        file.video.edit((pause > 0 ? [(pause, -1, 1 << 16)] : []) + [(duration, mediaTime, 1 << 16)])
        let edit = try Movie(file: file.fileBytes).video.edit
        #expect(edit == MovieEdit(delay: UInt64(pause), duration: UInt64(duration), mediaTime: Int64(mediaTime)))
    }

    /// The movie's timescale, and 100/600 s in its ticks, less one and rounded up.
    @Test("may be a tick short, however short the last picture is", arguments: [(600, 99), (1000, 166)])
    func aTickShort(timescale: Int, duration: Int) throws {
        let file = SmallFilm.file()
        file.movie["mvhd"].put(be32(timescale), at: 12)
        file.video.table["stts"].entries([5, 20, 1, 0], perEntry: 2)
        file.video.table.remove("ctts")
        file.sound.remove("edts")
        file.video.edit([(duration, 0, 1 << 16)])
        #expect(refusal(file.fileBytes) == nil)
        file.video.edit([(duration - 1, 0, 1 << 16)])
        #expect(refusal(file.fileBytes) == .editList)
    }

    @Test("may be absent, empty, or of version 1")
    func forms() throws {
        let file = SmallFilm.file()
        file.video["edts/elst"].payload = [1, 0, 0, 0] + be32(1) + be64(120) + be64(20) + be32(1 << 16)
        #expect(try Movie(file: file.fileBytes).video == Movie(file: SmallFilm.bytes()).video)
        file.video["edts/elst"].entries([])
        #expect(try Movie(file: file.fileBytes).video.edit == nil)
        file.video.remove("edts")
        #expect(try Movie(file: file.fileBytes).video.edit == nil)
    }

    @Test("may hide 0.2 s of sound at its beginning, and reach to 15.5 s")
    func limits() throws {
        let file = SmallFilm.file()
        file.sound.edit([(20, 8820, 1 << 16)])
        #expect(try Movie(file: file.fileBytes).sound?.edit?.mediaTime == 8820)
        let long = SmallFilm.file()
        long.video.table["stts"].entries([5, 20, 1, 9200], perEntry: 2)
        long.video.remove("edts")
        #expect(try Movie(file: long.fileBytes).durationMilliseconds == 200)
        long.video.table.remove("ctts")
        #expect(try Movie(file: long.fileBytes).durationMilliseconds == 15_500)
    }

    @Test("have signed offsets in both versions", arguments: [UInt8(0), 1])
    func signed(version: UInt8) throws {
        let file = SmallFilm.file()
        Self.offsets(file, [0, 40, -20, -20, 20, -20])
        file.video.table["ctts"].put([version], at: 0)
        file.video.remove("edts")
        let movie = try Movie(file: file.fileBytes)
        #expect(movie.video.samples.map(\.time) == [0, 60, 20, 40, 100, 80] && movie.video.firstOffset == 0)
    }

    @Test("of any timescale are compared without overflow", arguments: [1, 0xffff_ffff])
    func extremes(timescale: Int) {
        for (video, movie) in [(timescale, 600), (600, timescale), (timescale, timescale)] {
            let file = SmallFilm.file()
            file.video["mdia/mdhd"].put(be32(video), at: 12)
            file.movie["mvhd"].put(be32(movie), at: 12)
            file.video.edit([(Int(UInt32.max), 20, 1 << 16)])
            #expect([nil, .tooLong, .editList].contains(refusal(file.fileBytes)))
        }
    }
}
