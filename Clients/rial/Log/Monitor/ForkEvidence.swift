import CaptureProtocol
import TransparencyLog

/// Two trees that a log has signed and that are not one, as they are kept for others to check.
struct ForkEvidence: Error, Sendable {
    let smaller: SignedTree
    let larger: SignedTree
    /// What the larger tree begins with instead, and the proof of it; `nil` if nothing proves that the larger one begins otherwise, as when
    /// the log does not come up to it.
    let instead: Prefix?
    let defect: LogDefect

    struct Prefix: Sendable {
        let head: TreeHead
        let proof: ConsistencyProof
    }

    static func forked(_ smaller: SignedTree, _ larger: SignedTree, _ instead: TreeHead, _ proof: ConsistencyProof) -> ForkEvidence {
        let sentence =
            smaller.size == larger.size
            ? "the log has signed two trees of \(larger.size) entries, seen at \(smaller.source) and \(larger.source)"
            : """
            the tree of \(larger.size) entries, seen at \(larger.source), does not begin with the one of \(smaller.size), seen at \
            \(smaller.source)
            """
        return ForkEvidence(
            smaller: smaller, larger: larger, instead: smaller.size == larger.size ? nil : Prefix(head: instead, proof: proof),
            defect: LogDefect(.forked, sentence))
    }

    /// Says what is wrong, then writes both notes and says where they are. What cannot be written is said itself, since it is the proof.
    func report(in folder: DurableFolder, _ say: (String) -> Void) {
        say("\(defect)")
        do {
            try write(to: folder)
            say("both notes are in \(folder.path)")
        } catch {
            say("the notes cannot be kept: \(error)")
            for note in [smaller.note, larger.note] { say(String(decoding: note.bytes, as: UTF8.self)) }
            for line in difference { say(line) }
        }
    }

    /// What the names of its files begin with: the same for the same two checkpoints, whoever cosigned them, so that a monitor that is
    /// started again and again does not fill its disk.
    var name: String {
        let digest = ContentDigest(of: smaller.note.text + larger.note.text)
        return "\(defect.kind.rawValue.replacing(" ", with: "-"))-\(digest.hex.prefix(16))"
    }

    /// Writes both notes, and what tells their trees apart.
    private func write(to folder: DurableFolder) throws {
        try folder.replace("\(name).1.note", with: smaller.note.bytes)
        try folder.replace("\(name).2.note", with: larger.note.bytes)
        try folder.replace("\(name).txt", with: (["\(defect)"] + difference).flatMap { Array($0.utf8) + [0x0a] })
    }

    /// The lines that tell the trees apart, if anything does.
    private var difference: [String] {
        guard let instead else { return [] }
        return [
            "The root of the larger tree's first \(instead.head.size) entries, and the consistency proof from there (RFC 6962):",
            Base64.encode(instead.head.root.bytes), "",
        ] + instead.proof.hashes.map { Base64.encode($0.bytes) }
    }
}
