import CaptureProtocol
import Testing

@testable import Gateway

@Suite("Media ranges")
struct MediaRangeTests {
    @Test(
        "one satisfiable range is a part",
        arguments: [
            ("bytes=0-0", 0...0), ("bytes=0-99", 0...99), ("bytes=10-19", 10...19), ("bytes=90-1000", 90...99), ("bytes=99-", 99...99),
            ("bytes=0-", 0...99), ("bytes=-1", 99...99), ("bytes=-100", 0...99), ("bytes=-1000", 0...99),
            ("bytes=0-9223372036854775807", 0...99), ("bytes=-9223372036854775807", 0...99),
        ] as [(String, ClosedRange<Int64>)])
    func part(header: String, range: ClosedRange<Int64>) { #expect(MediaRange(header, sizeBytes: 100) == .part(range)) }

    @Test(
        "a range beyond the end cannot be satisfied", arguments: ["bytes=100-", "bytes=100-200", "bytes=9223372036854775807-", "bytes=-0"])
    func unsatisfiable(header: String) { #expect(MediaRange(header, sizeBytes: 100) == .unsatisfiable) }

    @Test(
        "what is no single range of bytes asks for the whole",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "items=0-1", "bytes=5-4", "bytes=0-1,5-6", "bytes=a-b", "bytes=1-2-3", "bytes=--1",
            "bytes=99999999999999999999-", "0-1", "bytes=1-x", "bytes=x-1",
        ] as [String?])
    func whole(header: String?) { #expect(MediaRange(header, sizeBytes: 100) == .whole) }

    @Test("an empty object has no part", arguments: ["bytes=0-", "bytes=0-0", "bytes=-1"])
    func empty(header: String) { #expect(MediaRange(header, sizeBytes: 0) == .unsatisfiable) }
}

@Suite("Entity tags")
struct EntityTagTests {
    private static let tag = "\"abc\""

    @Test("are the digest of the content in quotes, or its beginning")
    func content() {
        let digest = ContentDigest(of: [])
        #expect(EntityTag.of(digest) == "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"")
        #expect(EntityTag.of(digest, length: 32) == "\"e3b0c44298fc1c149afbf4c8996fb924\"")
    }

    @Test(
        "match by weak comparison, alone or in a list",
        arguments: ["\"abc\"", "W/\"abc\"", "*", "\"x\", \"abc\"", "\"x\",W/\"abc\" ,\"y\""])
    func matches(field: String) { #expect(EntityTag.matches(field, Self.tag)) }

    @Test("do not match anything else", arguments: [nil, "", "abc", "\"ABC\"", "\"ab\"", "\"abcd\"", "w/\"abc\"", ","] as [String?])
    func differs(field: String?) { #expect(!EntityTag.matches(field, Self.tag)) }
}
