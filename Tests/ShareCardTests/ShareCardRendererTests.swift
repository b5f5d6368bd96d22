import CaptureProtocol
import Foundation
import Imaging
import Models
import Testing

@testable import ShareCard

@Suite("Share card", .enabled(if: Cards.hasFonts, "the card's fonts are not installed"))
struct ShareCardRendererTests {
    private static let digest = ContentDigest(bytes: (0..<32).map { UInt8($0 * 7) })
    private static let paper: UInt32 = 0xFAF9F6
    private static let sunken: UInt32 = 0xF1EFE9

    @Test("is a JPEG of 1200 × 630 px and at most 300 kB, of noise too")
    func size() throws {
        var random = SystemRandomNumberGenerator()
        let pixels = (0..<800 * 700 * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
        let noise = try JPEGEncoder.encode(try RGBImage(width: 800, height: 700, pixels: pixels), quality: 90)
        let card = try ShareCardRenderer.render(Cards.content(), photo: noise)
        let size = try JPEGDecoder.size(of: card)
        #expect(size.width == 1200 && size.height == 630)
        #expect(card.count <= 300_000)
    }

    @Test("is the same bytes every time, also drawn many at once")
    func repeatable() async throws {
        let (content, photo) = (Cards.content(.medium, place: "חיפה, ישראל"), try Cards.photo())
        let first = try ShareCardRenderer.render(content, photo: photo)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { try ShareCardRenderer.render(content, photo: photo) == first } }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test("is the same bytes whatever its renderer has drawn before")
    func reused() throws {
        let (renderer, photo) = (ShareCardRenderer(), try Cards.photo())
        for place in ["Lyon, France", "חיפה, ישראל", "Lyon, France", "Zürich, Switzerland", "Lyon, France"] {
            for level in [ConfidenceLevel.high, .suspicious] {
                let content = Cards.content(level, place: place)
                #expect(try renderer.render(content, photo: photo) == ShareCardRenderer.render(content, photo: photo))
            }
        }
    }

    @Test("shows nothing of the card that its renderer has drawn before, nor of one that failed")
    func overdrawn() throws {
        let (renderer, small) = (ShareCardRenderer(), try Cards.photo(width: 100, height: 100))
        var hash = Cards.content()
        hash.subject = .hash(try #require(Self.digest))
        for content in [Cards.content(isDevelopment: true), hash, Cards.content(), Cards.content(isDevelopment: true, place: nil), hash] {
            #expect(try renderer.render(content, photo: small) == ShareCardRenderer.render(content, photo: small))
            #expect(throws: ShareCardError.self) { try renderer.render(Cards.content(.low), photo: [0xff, 0xd8]) }
            #expect(try renderer.render(content, photo: nil) == ShareCardRenderer.render(content, photo: nil))
        }
    }

    @Test(
        "has a badge in the colour of its level, with the shape and the word",
        arguments: [(ConfidenceLevel.high, 0x17643D), (.medium, 0xF6CB45), (.low, 0xF3923C), (.suspicious, 0xB3261E)]
            as [(ConfidenceLevel, UInt32)])
    func badge(level: ConfidenceLevel, colour: UInt32) throws {
        let card = try Cards.picture(Cards.content(level))
        #expect(card.shows(colour, x: 780, y: 76) && card.shows(colour, x: 823, y: 60))
        #expect(card.count(in: 786..<818, 58..<94, but: colour) > 60, "the shape")
        #expect(card.count(in: 830..<1000, 58..<94, but: colour) > 800, "the word")
        // To the right of the safe margin.
        #expect(card.count(in: 1161..<1200, 0..<630, but: Self.paper) == 0)
    }

    @Test("distinguishes the levels by shape alone", arguments: [(ConfidenceLevel.high, 3), (.medium, 2), (.low, 1)])
    func shapes(level: ConfidenceLevel, filled: Int) throws {
        let card = try Cards.picture(Cards.content(level))
        let ground = card.luma(x: 823, y: 60)
        // The middles of the three bars, and a point inside the first, which is always filled.
        let ink = card.luma(x: 793, y: 83)
        let bars = [(793, 83), (802, 80), (811, 76)].map {
            abs(card.luma(x: $0.0, y: $0.1) - ink) < abs(card.luma(x: $0.0, y: $0.1) - ground)
        }
        #expect(abs(ink - ground) > 80 && bars == [true, filled > 1, filled > 2])
    }

    @Test("has no badge and no place without a result")
    func neutral() throws {
        let card = try Cards.picture(ShareCardContent(subject: .photo, level: nil, capturedAt: .notShared, placeName: "Lyon, France"))
        #expect(card.count(in: 720..<1200, 0..<440, but: Self.paper) < 800)
        #expect(card.count(in: 768..<1152, 470..<520, but: Self.paper) > 500, "the sentence")
        #expect(card.count(in: 1040..<1152, 530..<590, but: Self.paper) > 500, "the word mark")
    }

    @Test("marks a development attestation with a band and leaves others without")
    func development() throws {
        let (test, real) = (try Cards.picture(Cards.content(isDevelopment: true)), try Cards.picture(Cards.content()))
        #expect(test.count(in: 0..<1200, 0..<20, but: 0x5B2A86) == 0)
        #expect(test.count(in: 80..<1100, 20..<60, but: 0x5B2A86) > 3000)
        #expect(real.count(in: 720..<1200, 0..<40, but: Self.paper) == 0)
        // The dashed tag.
        #expect(test.count(in: 768..<960, 180..<224, but: Self.paper) > 500)
    }

    @Test("notes below time and place when they are not signed", arguments: [false, true])
    func unsigned(isDevelopment: Bool) throws {
        var content = Cards.content(isDevelopment: isDevelopment)
        let signed = try Cards.picture(content)
        content.isSigned = false
        let unsigned = try Cards.picture(content)
        func ink(_ card: RGBImage) -> Int { card.count(in: 768..<1152, 408..<442, but: Self.paper) }
        #expect(ink(unsigned) > ink(signed) + 300)
        // Without time and place the note is omitted.
        content.capturedAt = .notShared
        content.placeName = nil
        var bare = content
        bare.isSigned = true
        #expect(try ShareCardRenderer.render(content, photo: nil) == ShareCardRenderer.render(bare, photo: nil))
    }

    @Test("shows the digest of a hash-only capture and no photo")
    func hash() throws {
        let digest = try #require(Self.digest)
        var content = Cards.content()
        content.subject = .hash(digest)
        let card = try ShareCardRenderer.render(content, photo: nil)
        #expect(card == (try ShareCardRenderer.render(content, photo: try Cards.photo())))
        var other = content
        other.subject = .hash(try #require(ContentDigest(bytes: digest.bytes.reversed())))
        #expect(card != (try ShareCardRenderer.render(other, photo: nil)))
        #expect(try Cards.picture(content).count(in: 100..<620, 300..<560, but: Self.sunken) > 5000)
    }

    @Test("has another title above the digest where no genuine device vouches for it")
    func hashTitle() throws {
        var content = Cards.content()
        content.subject = .hash(try #require(Self.digest))
        let verified = try Cards.picture(content)
        content.isSigned = false
        let recorded = try Cards.picture(content)
        func differs(_ rows: Range<Int>) -> Bool {
            rows.contains { y in (100..<620).contains { x in abs(verified.luma(x: x, y: y) - recorded.luma(x: x, y: y)) > 60 } }
        }
        #expect(differs(200..<290), "the title")
        #expect(!differs(300..<560), "the digest")
    }

    @Test("covers the left with the photo, upright", arguments: [(800, 600), (600, 800), (2000, 1500), (720, 630)])
    func covers(width: Int, height: Int) throws {
        let card = try Cards.picture(Cards.content(), photo: try Cards.photo(width: width, height: height))
        #expect(card.count(in: 0..<712, 0..<630, but: 0xC81E1E) == 0)
        #expect(card.count(in: 724..<768, 0..<630, but: Self.paper) == 0)
    }

    @Test("turns the photo upright by its EXIF orientation", arguments: 1...8)
    func orientation(orientation: Int) throws {
        let stored = try Cards.quarters(width: 600, height: 400)
        let jpeg = Cards.oriented(try JPEGEncoder.encode(stored, quality: 95), UInt8(orientation))
        expectQuarters(try Cards.picture(Cards.content(), photo: jpeg), of: stored.oriented(orientation))
    }

    @Test("draws a large photo as a small one", arguments: [(1656, 1242), (1242, 1656), (2400, 1600), (3200, 2400)])
    func large(width: Int, height: Int) throws {
        let photo = try Cards.quarters(width: width, height: height)
        expectQuarters(try Cards.picture(Cards.content(), photo: try JPEGEncoder.encode(photo, quality: 95)), of: photo)
    }

    /// The photo's four quarters meet in the middle of the left part, and cover it.
    private func expectQuarters(_ card: RGBImage, of photo: RGBImage) {
        for (right, down) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] {
            let (x, y) = ((2 + right) * photo.width / 4, (2 + down) * photo.height / 4)
            let offset = (y * photo.width + x) * 3
            let colour = photo.pixels[offset..<offset + 3].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            for distance in [30, 150, 300] { #expect(card.shows(colour, x: 360 + right * distance, y: 315 + down * distance)) }
        }
    }

    @Test("enlarges a small photo no more than twice, and shows half of a long one at least", arguments: [(100, 100), (2000, 100)])
    func sunken(width: Int, height: Int) throws {
        let card = try Cards.picture(Cards.content(), photo: try Cards.photo(width: width, height: height))
        #expect(card.shows(0xC81E1E, x: 360, y: 315))
        #expect(card.shows(Self.sunken, x: 360, y: 20) && card.shows(Self.sunken, x: 360, y: 610))
    }

    @Test("throws for a photo that it cannot read", arguments: [[], [0xff, 0xd8, 0xff], Array("not a photo".utf8)])
    func unreadable(bytes: [UInt8]) {
        let error = #expect(throws: ShareCardError.self) { try ShareCardRenderer.render(Cards.content(), photo: bytes) }
        #expect(error?.code == .photoUnreadable)
    }

    @Test("throws for a missing font and names it")
    func fonts() {
        let renderer = ShareCardRenderer(fonts: CardFonts(directory: "/nowhere"))
        let error = #expect(throws: ShareCardError.self) { try renderer.render(Cards.content(), photo: nil) }
        #expect(error?.code == .fontMissing && error?.message.hasPrefix("/nowhere/") == true)
    }

    /// The last two are noncharacters.
    private static let unusual = String(decoding: [0xFFFD, 0xFDD0, 0xFFFF] as [UInt16], as: UTF16.self)

    @Test(
        "keeps every name inside the column and above the line",
        arguments: [
            String(repeating: "Llanfairpwllgwyngyll", count: 20), String(repeating: "long name ", count: 40),
            "الدار البيضاء، المملكة المغربية \u{202E}evil\u{2066}", String(repeating: "ה", count: 200), "北京市", "🏔️🏔️",
            "Z" + String(repeating: "\u{0310}\u{0323}", count: 300), "a\nb\u{2028}c\u{0}d", Self.unusual,
        ])
    func names(name: String) throws {
        for isDevelopment in [false, true] {
            let card = try Cards.picture(Cards.content(isDevelopment: isDevelopment, place: name))
            #expect(card.count(in: 1161..<1200, 90..<630, but: Self.paper) == 0)
            #expect(card.count(in: 722..<762, 90..<630, but: Self.paper) == 0)
            #expect(card.count(in: 768..<1150, 458..<470, but: Self.paper) == 0, "below the line")
        }
    }

    @Test("shows names in other letters, and leaves out what no font has rather than drawing boxes")
    func scripts() throws {
        func marks(_ place: String?) throws -> Int {
            try Cards.picture(Cards.content(place: place)).count(in: 768..<1160, 275..<440, but: Self.paper)
        }
        #expect(try marks("北京市") == 0)
        for name in ["Đắk Lắk, Việt Nam", "Αθήνα", "Київ"] { #expect(try marks(name) > 300) }
    }
}
