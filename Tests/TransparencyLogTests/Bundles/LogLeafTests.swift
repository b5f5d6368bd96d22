import CaptureProtocol
import Testing

@testable import TransparencyLog

@Suite("Leaves of the log")
struct LogLeafTests {
    private static let key = "rial.example/log/2026+531d8d44+AfiQP59qW7lLoUzFERvPNI7MBCgQo1Jzk0p0XXwrMk1v"
    private static let entry =
        "rial.leaf/1\nwithdrawal\n0\n36d5ece5ebe25a89905a187acb9416f3\n82c2f7b00484c66c5b7e751de35abef887576c9961038ba1d25e40c637327585\n"
    private static let root = "vxRVdT3N8QvH1fkjA6G62Hwi62yrrYAoDpON4OLi5Os="
    private static let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("of statements and withdrawals have five lines")
    func entries() throws {
        for kind in LogLeaf.Kind.allCases {
            let leaf = LogLeaf.entry(kind: kind, time: 7, subject: try ExampleBundle.subject(), commitment: ContentDigest(of: [1]))
            #expect(try LogLeaf(bytes: leaf.bytes) == leaf)
            #expect(leaf.bytes.count { $0 == 0x0a } == 5)
        }
        guard case .entry(.withdrawal, 0, _, _) = try LogLeaf(bytes: Array(Self.entry.utf8)) else {
            Issue.record("another leaf")
            return
        }
    }

    @Test("of statements are read as entries, others and damaged ones are not")
    func values() throws {
        let (subject, commitment) = (try ExampleBundle.subject(), ContentDigest(of: [1]))
        let leaf = LogLeaf.entry(kind: .revocation, time: 7, subject: subject, commitment: commitment)
        let entry = try #require(LogEntry(leaf: leaf.bytes))
        #expect(entry.kind == .revocation && entry.time == 7)
        #expect(entry.subject == subject && entry.commitment == commitment)
        #expect(LogEntry(leaf: LogLeaf.shard(previous: nil, head: .empty).bytes) == nil)
        #expect(LogEntry(leaf: Array(leaf.bytes.dropLast())) == nil)
    }

    @Test("begin a shard with origin, size and root of the one before, or with those of nothing")
    func shards() throws {
        let first = LogLeaf.shard(previous: nil, head: .empty)
        #expect(first.bytes == Array("rial.shard/1\n-\n0\n\(Self.empty)\n".utf8))
        #expect(try LogLeaf(bytes: first.bytes) == first)
        let root = try #require(ContentDigest(base64: Self.root))
        let next = LogLeaf.shard(previous: try ExampleBundle.policy().logs.first?.key.name, head: TreeHead(size: 500, root: root))
        #expect(next.bytes == Array("rial.shard/1\nrial.example/log/2026\n500\n\(Self.root)\n".utf8))
        #expect(try LogLeaf(bytes: next.bytes) == next)
    }

    @Test("end a shard with the next one's key")
    func end() throws {
        let leaf = LogLeaf.end(next: try VerifierKey(Self.key))
        #expect(leaf.bytes == Array("rial.end/1\n\(Self.key)\n".utf8))
        #expect(try LogLeaf(bytes: leaf.bytes) == leaf)
    }

    @Test(
        "have no other form",
        arguments: [
            "", "\n", "rial.leaf/1", "rial.leaf/2\nwithdrawal\n0\n", entry + "\n", String(entry.dropLast()), " " + entry,
            entry.replacing("\n", with: "\r\n"), entry.replacing("withdrawal", with: "removal"),
            entry.replacing("withdrawal", with: "withdrawal\u{301}"), entry.replacing("\n0\n", with: "\n00\n"),
            entry.replacing("\n0\n", with: "\n-1\n"), entry.replacing("\n0\n", with: "\n+1\n"), entry.replacing("\n0\n", with: "\n\n"),
            entry.replacing("\n0\n", with: "\n18446744073709551615\n"), entry.replacing("36d5", with: "36D5"),
            entry.replacing("82c2", with: "82C2"), entry.replacing("82c2", with: "82"), "rial.shard/1\n-\n1\n\(empty)\n",
            "rial.shard/1\n-\n0\n\(root)\n", "rial.shard/1\n\n0\n\(empty)\n", "rial.shard/1\na\n0\n\(empty.dropLast())\n",
            "rial.shard/1\na\u{e9}\n0\n\(empty)\n", "rial.end/1\n\(key)", "rial.end/1\n\(key)\n\n", "rial.end/1\nkey\n",
            "rial.end/1\n\(key.replacing("531d8d44", with: "531d8d45"))\n",
        ])
    func refused(text: String) {
        #expect(throws: BundleError.self) { try LogLeaf(bytes: Array(text.utf8)) }
    }
}
