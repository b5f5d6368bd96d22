import ArgumentParser
import Foundation
import RialClient
import Testing

@testable import RialCLI

@Suite("Text table")
struct TextTableTests {
    @Test("aligns its columns, also those with letters of several bytes")
    func aligns() {
        var table = TextTable(header: ["check", "status", "found"])
        table.add("metadata", "pass", "São Paulo")
        table.add("depth", "inconclusive", "")
        table.add("é", "fail")
        #expect(
            table.text == """
                check     status        found
                ─────     ──────        ─────
                metadata  pass          São Paulo
                depth     inconclusive
                é         fail
                """)
    }

    @Test("takes rows of different lengths, and none")
    func raggedRows() {
        var table = TextTable(indent: "  ")
        #expect(table.text.isEmpty)
        table.add(["a"])
        table.add(["bb", "c", "d"])
        #expect(table.text == "  a\n  bb  c  d")
    }

    private static let steering = [
        "\u{1B}[2J", "a\nb", "a\rb", "\u{7}", "\u{9B}31m", "\u{202E}abc", "\u{2066}x", "\u{0}", "\u{2028}", "\u{E0001}",
    ]

    @Test("JSON escapes what steers a terminal, and says the same", arguments: steering)
    func json(text: String) throws {
        let json = Console.escaped(String(decoding: try JSONEncoder().encode([text]), as: UTF8.self))
        #expect(TextTable.printable(json) == json)
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
    }

    @Test("lets nothing through that steers a terminal", arguments: steering)
    func printable(text: String) {
        let safe = TextTable.printable(text)
        #expect(
            safe.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            })
    }

    @Test("the console lets through lines, and nothing that steers a terminal")
    func console() {
        let failure = APIFailure(.refused, "gone\u{1B}[2J\nfor good", status: 404, requestID: "\u{1B}]0;x\u{7}")
        let text = Console.printable(Rial.fullMessage(for: failure))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        #expect(text.contains("gone�[2J\nfor good"))
        #expect(Console.printable("a\n\n\u{1B}b\n") == "a\n\n�b\n")
    }
}
