import CaptureProtocol
import Testing

@Suite("Strict JSON")
struct StrictJSONTests {
    /// A text with so many marks in the place of `@`.
    private static func bytes(_ text: String, _ mark: String, _ count: Int) -> [UInt8] {
        Array(text.replacing("@", with: String(repeating: mark, count: count)).utf8)
    }

    @Test(
        "names and values have at most 30 combining marks in a row, however they are written",
        arguments: [#"{"a@": 1}"#, #"{"a": "@"}"#, #"["a", {"b": [{"c": "d@e"}]}]"#, #""@""#],
        [
            "\u{301}", #"\u0301"#, "\u{489}", "\u{903}",
            // Two marks by itself, although it counts as the beginning of a character.
            "\u{f73}",
        ])
    func marks(text: String, mark: String) throws {
        let most = try StrictJSON(Self.bytes(text, mark, StrictJSON.maximumMarks))
        #expect(most != .null)
        for count in [31, 40] {
            #expect(throws: StrictJSON.Failure.malformed) { try StrictJSON(Self.bytes(text, mark, count)) }
        }
    }

    @Test("a letter between them begins a new row")
    func letters() throws {
        let text = String(repeating: "e" + String(repeating: "\u{301}", count: 30), count: 100)
        let read = try StrictJSON(Array("\"\(text)\"".utf8))
        #expect(read == .string(text))
    }

    @Test("names that are many marks are refused before they are compared", .timeLimit(.minutes(1)))
    func names() {
        let name = "a" + String(repeating: "\u{300}\u{323}", count: 32_000)
        let text = "{" + (0..<2).map { "\"\(name)\($0)\": 1" }.joined(separator: ", ") + "}"
        #expect(throws: StrictJSON.Failure.malformed) { try StrictJSON(Array(text.utf8)) }
    }
}
