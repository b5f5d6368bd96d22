import Testing

@testable import ManifestStore

@Suite("Boxes of a manifest store")
struct JUMBFBoxTests {
    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = UInt32(content.count + 8)
        let head: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return head + Array(type.utf8) + content
    }

    private static func superbox(_ label: String) throws -> JUMBFSuperbox? {
        let description: [UInt8] = [UInt8](repeating: 0, count: 16) + [3] + Array(label.utf8) + [0]
        let boxes = try #require(JUMBFBox.all(in: box("jumb", box("jumd", description))[...]))
        return JUMBFSuperbox(try #require(boxes.first))
    }

    @Test("have labels of at most 256 bytes", .timeLimit(.minutes(1)))
    func labels() throws {
        let most = String(repeating: "a", count: 256)
        let read = try Self.superbox(most)
        #expect(read?.label == most)
        let marks = String(repeating: "\u{300}\u{323}", count: 250_000)
        for label in ["", most + "a", marks] {
            let read = try Self.superbox(label)
            #expect(read == nil)
        }
    }
}
