import TestSupport
import Testing

@testable import Movie

@Suite("Boxes of a file")
struct FileRefusalTests {
    static let small = SmallFilm.bytes()

    @Test("of a sound film are read")
    func sound() throws {
        let movie = try Movie(file: Self.small)
        #expect(movie.video.samples.map(\.time) == [0, 60, 20, 40, 100, 80])
        #expect(movie.video.format == SmallFilm.videoFormat && movie.sound?.format == SmallFilm.soundFormat)
        #expect(movie.durationMilliseconds == 200)
        #expect(movie.video.edit == MovieEdit(delay: 0, duration: 120, mediaTime: 20))
    }

    @Test("must begin with ftyp, or it is no movie", arguments: ["", "ft", "\u{0}\u{0}\u{0}\u{10}moov", "not a movie at all, but text"])
    func notMovie(text: String) {
        #expect(refusal(Array(text.utf8)) == .notMovie)
        #expect(MovieError(.notMovie, "").isNotMovie && !MovieError(.truncated, "").isNotMovie)
    }

    static let lies = [
        Lie("moov alone", .notMovie) { $0.remove("ftyp") },
        Lie("ftyp second", .notMovie) { $0.children.swapAt(0, 1) },
        Lie("two ftyp", .boxTwice) { $0.children.append($0["ftyp"]) },
        Lie("ftyp without a brand", .malformedBox) { $0["ftyp"].payload = [0] },
        Lie("no moov", .movieBoxMissing) { $0.remove("moov") },
        Lie("two moov", .movieBoxTwice) { $0.children.append($0["moov"]) },
        Lie("moov of over 4 MiB", .movieBoxTooLarge) {
            $0.movie.children.append(TestBox("free", Array(repeating: 0, count: 4 << 20)))
        },
        Lie("moov of over 4 MiB to the end of the file", .movieBoxTooLarge) {
            $0.movie.children.append(TestBox("free", Array(repeating: 0, count: 4 << 20)))
            $0.movie.size = .toEnd
        },
        Lie("moof", .fragmented) { $0.children.append(TestBox("moof")) },
        Lie("mvex", .fragmented) { $0.movie.children.append(TestBox("mvex", [], [TestBox("trex", be32(0))])) },
        Lie("too many boxes", .tooManyBoxes) { $0.children += (0..<8192).map { _ in TestBox("free") } },
        Lie("a size of 7", .truncated) {
            $0.children.append(TestBox("free"))
            $0["free"].size = .claimed(7)
        },
        Lie("a box behind the end", .truncated) {
            $0.children.append(TestBox("free"))
            $0["free"].size = .claimed(9)
        },
        Lie("a 64-bit size of everything", .truncated) {
            $0.children.append(TestBox("free", be64(-1)))
            $0["free"].size = .claimed(1)
        },
        Lie("a 64-bit size of 15", .truncated) {
            $0.children.append(TestBox("free", be64(15)))
            $0["free"].size = .claimed(1)
        },
        Lie("half a header", .truncated) {
            $0.children.append(TestBox("mdat"))
            $0.children[3].size = .claimed(1)
        },
        Lie("a box longer than its parent", .boxOutsideParent) { $0.video["mdia"].children[0].size = .claimed(1000) },
        Lie("a box of size 0 inside another", .boxOutsideParent) { $0.video["mdia"].size = .toEnd },
        Lie("five bytes behind the last box", .boxOutsideParent) { $0.video.payload = [0, 0, 0, 0, 0] },
        Lie("user data longer than their parent", .boxOutsideParent) {
            $0.movie.children.append(TestBox("udta", [], [TestBox("©xyz")]))
            $0.movie["udta/©xyz"].size = .claimed(2000)
        },
        Lie("an ignored track's box longer than its parent", .boxOutsideParent) {
            let track = $0.sound.copy
            track["mdia/hdlr"].put(Array("text".utf8), at: 8)
            track.table["stsz"].size = .claimed(100_000)
            $0.movie.children.append(track)
        },
        Lie("boxes 10,000 deep", .nestedTooDeep) {
            $0.movie.children.append((0..<10_000).reduce(TestBox("udta")) { inner, _ in TestBox("udta", inner.bytes) })
        },
        Lie("tracks 17 deep", .nestedTooDeep) {
            $0.movie.children.append((0..<17).reduce(TestBox("trak")) { inner, _ in TestBox("trak", [], [inner]) })
        },
    ]

    @Test("are refused, however the file is cut into chunks", arguments: lies)
    func refuses(lie: Lie) {
        let bytes = lie.bytes
        #expect(refusal(bytes) == lie.code)
        #expect(refusal(bytes, chunk: 1) == lie.code)
        #expect(refusal(bytes, chunk: 4099) == lie.code)
    }

    @Test("are refused when the file is cut off anywhere")
    func cut() {
        let file = SmallFilm.file()
        let beforeMovie = file.fileBytes.count - file.movie.bytes.count
        for length in 0..<Self.small.count {
            let expected: MovieError.Code =
                length < 8 ? .notMovie : length == beforeMovie || length == file["ftyp"].bytes.count ? .movieBoxMissing : .truncated
            #expect(refusal(Array(Self.small.prefix(length))) == expected, "\(length) bytes")
        }
    }

    @Test("give the same movie in chunks of any size", arguments: [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 64, 100, 1000])
    func chunks(size: Int) throws {
        #expect(try read(Self.small, chunk: size) == Movie(file: Self.small))
    }

    @Test("may have 64-bit sizes, and the last may reach to the end")
    func sizes() throws {
        let expected = try Movie(file: Self.small)
        let long = SmallFilm.file()
        (long.movie.size, long.video.size, long.video["mdia"].size, long.video.table["stsz"].size) = (.long, .long, .long, .long)
        #expect(try Movie(file: long.fileBytes).video == expected.video)
        let open = SmallFilm.file()
        open.movie.size = .toEnd
        #expect(try Movie(file: open.fileBytes) == expected)
        #expect(try read(open.fileBytes, chunk: 1) == expected)
        let data = SmallFilm.file()
        // Before the samples, so that they stay where they are.
        data["ftyp"].payload.removeLast(8)
        data["mdat"].size = .long
        #expect(try Movie(file: data.fileBytes).video.samples == expected.video.samples)
        let last = SmallFilm.file()
        last.children.append(TestBox("free", [1, 2, 3]))
        last["free"].size = .toEnd
        #expect(try Movie(file: last.fileBytes) == expected)
    }

    @Test("are not needed by who has read the file before: moov is enough, but for what is in mdat")
    func movieBoxAlone() throws {
        let expected = try Movie(file: Self.small)
        let payload = Array(Self.small[Int(expected.moov.lowerBound)..<Int(expected.moov.upperBound)])
        let length = Int64(Self.small.count)
        #expect(try Movie(movieBox: payload, at: expected.moov, fileLength: length, majorBrand: "mp42") == expected)
        #expect(throws: MovieError.self) { try Movie(movieBox: payload, at: expected.moov, fileLength: length - 1) }
        #expect(throws: MovieError.self) { try Movie(movieBox: payload, at: 40..<40 + Int64(payload.count), fileLength: length) }
        #expect(throws: MovieError.self) { try Movie(movieBox: Array(payload.dropLast()), at: expected.moov, fileLength: length) }
    }
}
