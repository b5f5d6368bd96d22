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

    /// Writes both notes, and what tells their trees apart.
    func write(to folder: DurableFolder, at seconds: Int) throws {
        let name = "\(defect.kind.rawValue.replacing(" ", with: "-"))-\(seconds)"
        try folder.replace("\(name).1.note", with: smaller.note.bytes)
        try folder.replace("\(name).2.note", with: larger.note.bytes)
        var lines = ["\(defect)"]
        if let instead {
            lines.append(
                "The root of the larger tree's first \(instead.head.size) entries, and the consistency proof from there (RFC 6962):")
            lines += [Base64.encode(instead.head.root.bytes), ""] + instead.proof.hashes.map { Base64.encode($0.bytes) }
        }
        try folder.replace("\(name).txt", with: lines.flatMap { Array($0.utf8) + [0x0a] })
    }
}
