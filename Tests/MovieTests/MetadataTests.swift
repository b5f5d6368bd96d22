import Foundation
import TestSupport
import Testing

@testable import Movie

@Suite("Metadata of a movie")
struct MetadataTests {
    static func item(_ index: Int, _ text: [UInt8], type: Int = 1) -> [UInt8] {
        be32(text.count + 24) + be32(index) + be32(text.count + 16) + Array("data".utf8) + be32(type) + be32(0) + text
    }

    static func keys(_ names: [String]) -> TestBox {
        TestBox("keys", be32(0) + be32(names.count), names.map { TestBox("mdta", Array($0.utf8)) })
    }

    static func meta(_ names: [String], items: [UInt8], version: [UInt8] = []) -> TestBox {
        let handler = TestBox("hdlr", be32(0) + be32(0) + Array("mdta".utf8) + be32(0) + be32(0) + be32(0) + [0])
        return TestBox("meta", version, [handler, keys(names), TestBox("ilst", items)])
    }

    static let names = ["com.apple.quicktime.location.ISO6709", "com.apple.quicktime.creationdate", "com.apple.quicktime.model"]

    private func read(_ meta: TestBox) throws -> Movie {
        let file = SmallFilm.file()
        file.movie.children.append(meta)
        return try Movie(file: file.fileBytes)
    }

    @Test("has date and model, in the form of QuickTime and of MP4", arguments: [[], [0, 0, 0, 0]] as [[UInt8]])
    func values(version: [UInt8]) throws {
        let items =
            Self.item(1, Array("+48.2+016.4/".utf8)) + Self.item(2, Array("2026-01-01T00:00:00Z".utf8)) + Self.item(3, Array("é".utf8))
        let movie = try read(Self.meta(Self.names, items: items, version: version))
        #expect(movie.quickTimeCreationDate == "2026-01-01T00:00:00Z" && movie.quickTimeModel == "é")
    }

    @Test("is absent where it is no text of reasonable length")
    func odd() throws {
        for item in [
            Self.item(3, [0xff, 0xfe]), Self.item(3, []), Self.item(3, Array(repeating: 65, count: 257)),
            Self.item(3, Array("x".utf8), type: 21), Self.item(0, Array("x".utf8)), Self.item(4, Array("x".utf8)), Self.item(-1, [65]),
        ] {
            #expect(try read(Self.meta(Self.names, items: item)).quickTimeModel == nil)
        }
        #expect(try read(TestBox("meta", [1, 2])).quickTimeModel == nil)
        #expect(try read(TestBox("meta")).quickTimeModel == nil)
    }

    @Test("may end in four zero bytes, as QuickTime's lists do")
    func zeros() throws {
        let file = SmallFilm.file()
        let model = Self.meta(Self.names, items: Self.item(3, [65]))
        model.children.append(TestBox("udta", be32(0)))
        file.movie.children += [model, TestBox("udta", [], [TestBox("©day", [1, 2])])]
        file.movie["udta"].children.append(TestBox("name", be32(0)))
        file.movie["udta"].payload = []
        let bytes = file.movie["udta"].children.flatMap(\.bytes) + be32(0)
        (file.movie["udta"].payload, file.movie["udta"].children) = (bytes, [])
        #expect(try Movie(file: file.fileBytes).quickTimeModel == "A")
    }

    @Test("has the movie's creation time, from 1904 on, in both versions")
    func creation() throws {
        let file = SmallFilm.file()
        #expect(try Movie(file: file.fileBytes).createdAt == nil)
        file.movie["mvhd"].put(be32(2_082_844_800 + 1_767_225_600 - (1 << 32)), at: 4)
        #expect(try Movie(file: file.fileBytes).createdAt == Date(timeIntervalSince1970: 1_767_225_600))
        let rest = Array(file.movie["mvhd"].payload.dropFirst(20))
        for (seconds, expected) in [
            (2_082_844_801, Date(timeIntervalSince1970: 1)), (0, nil), (-1, nil), (1, .init(timeIntervalSince1970: -2_082_844_799)),
        ] {
            file.movie["mvhd"].payload = [1, 0, 0, 0] + be64(seconds) + be64(0) + be32(600) + be64(0) + rest
            #expect(try Movie(file: file.fileBytes).createdAt == expected)
        }
    }
}
