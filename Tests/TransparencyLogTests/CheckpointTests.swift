import CaptureProtocol
import Testing
import TransparencyLog

@Suite("Checkpoints")
struct CheckpointTests {
    private static let root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("are an origin, a size, a root and further lines")
    func reading() throws {
        let text = "go.sum database tree\n18446744073709551615\n\(Self.root)\nmore \n"
        let checkpoint = try Checkpoint(text: Array(text.utf8))
        #expect(checkpoint.origin == TextLine("go.sum database tree") && checkpoint.size == .max && checkpoint.root == MerkleHash.empty)
        #expect(checkpoint.extensions == [TextLine("more ")] && checkpoint.text.elementsEqual(text.utf8))
        #expect(Checkpoint(origin: checkpoint.origin, head: checkpoint.head, extensions: checkpoint.extensions) == checkpoint)
    }

    @Test(
        "have no other form",
        arguments: [
            "", "o\n", "o\n1\n", "o\n1\nROOT", "\n1\nROOT\n", "o\n01\nROOT\n", "o\n+1\nROOT\n", "o\n-1\nROOT\n", "o\n\nROOT\n",
            "o\n1 \nROOT\n",
            "o\n18446744073709551616\nROOT\n", "o\n99999999999999999999\nROOT\n", "o\n100000000000000000000\nROOT\n", "o\n1\n ROOT\n",
            "o\n1\nROOT\n\n", "o\n1\nROOT\n\nx\n", "o\n1\nROOT\nx", "o\n1\n\n", "o\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=\n",
            "o\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\n", "o\n1\n47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=\n", "o\n1\nAAAA\n",
            "o\r\n1\r\nROOT\r\n", "o\n\u{661}\nROOT\n",
        ])
    func otherForms(form: String) {
        let text = form.replacing("ROOT", with: Self.root)
        #expect(refusal { _ = try Checkpoint(text: Array(text.utf8)) } == .malformedCheckpoint)
    }
}
