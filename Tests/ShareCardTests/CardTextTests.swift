import CaptureProtocol
import Foundation
import Models
import Testing

@testable import ShareCard

@Suite("Texts of the card")
struct CardTextTests {
    @Test(
        "drops what is invisible and puts a name on one line",
        arguments: [
            ("Lyon, France", "Lyon, France"), ("  Lyon \u{00A0} ", "Lyon"), ("a\r\nb\tc\u{2028}d", "a b c d"),
            ("\u{202E}evil\u{2069}", "evil"), ("x\u{200B}y\u{FEFF}z", "xyz"), ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("a\u{E000}b", "ab"),
        ])
    func cleaned(text: String, expected: String) { #expect(CardText.cleaned(text) == expected) }

    @Test("has no text for an empty name", arguments: ["", "  ", "\u{200F}\u{0}", "\n"])
    func empty(text: String) { #expect(CardText.cleaned(text) == nil) }

    @Test("cuts a name at 120 characters, and combining marks at three")
    func cut() {
        #expect(CardText.cleaned(String(repeating: "ab", count: 500))?.count == 120)
        #expect(CardText.cleaned("e" + String(repeating: "\u{0301}", count: 50))?.unicodeScalars.count == 4)
    }

    @Test(
        "writes times in UTC",
        arguments: [
            (1_763_807_404.0, "22 November 2025", "10:30 UTC"), (0, "1 January 1970", "00:00 UTC"),
            (1_709_251_199.4, "29 February 2024", "23:59 UTC"), (1_767_225_599.9997, "31 December 2025", "23:59 UTC"),
        ])
    func time(seconds: Double, day: String, time: String) throws {
        let moment = Date(timeIntervalSince1970: seconds)
        #expect(CardText.time(.exact(moment)) == [day, time])
        #expect(CardText.time(SharedTime(moment, .day)) == [day])
        #expect(CardText.time(.notShared).isEmpty)
    }

    @Test("has no text for times outside the calendar", arguments: [-1e12, 1e15, .infinity, .nan])
    func odd(seconds: Double) { #expect(CardText.time(.exact(Date(timeIntervalSince1970: seconds))).isEmpty) }

    @Test(
        "calls a hash verified only where an attestation vouches for it",
        arguments: [
            (true, false, .high, "Hash Verified"), (true, true, .high, "Hash Verified"), (false, false, .medium, "Hash recorded"),
            (false, true, .medium, "Hash recorded"), (true, false, .suspicious, "Hash recorded"),
        ] as [(Bool, Bool, ConfidenceLevel, String)])
    func hashTitle(isSigned: Bool, isDevelopment: Bool, level: ConfidenceLevel, title: String) {
        let content = ShareCardContent(
            subject: .hash(ContentDigest(of: [1])), level: level, isDevelopment: isDevelopment, capturedAt: .notShared, placeName: nil,
            isSigned: isSigned)
        #expect(CardText.hashTitle(content) == title)
    }

    @Test("tells coordinates that are not on Earth from a location that was not given")
    func missingPlace() {
        var content = Cards.content(.suspicious, place: nil)
        #expect(CardText.missingPlace(content) == "Location not provided")
        content.hasFalsePlace = true
        #expect(CardText.missingPlace(content) == "Not a place on Earth")
    }

    @Test("never says that a photo is true")
    func modest() {
        let words =
            ConfidenceLevel.allCases.map { CardText.badge($0).word + CardText.badge($0).rest } + [
                CardText.note, CardText.hashVerified, CardText.hashRecorded,
            ]
        for word in ["authentic", "verified photo", "fake", "tampered", "unsafe"] {
            #expect(words.allSatisfy { !$0.lowercased().contains(word) })
        }
    }
}
