import CaptureProtocol
import TransparencyLog

/// A log's signed trees of all sizes, and the proofs between them.
struct GrowingLog: Sendable {
    let key: SignerKey
    private let roots: [ContentDigest]
    private let hashes: [TreeNode: ContentDigest]

    /// - Parameter salt: makes another tree of it.
    init(_ count: Int, key: SignerKey, salt: String = "") {
        self.key = key
        var frontier = MerkleFrontier()
        var roots = [frontier.root]
        var hashes: [TreeNode: ContentDigest] = [:]
        for number in 0..<count {
            frontier.append(MerkleHash.leaf(Array("\(number)\(salt)".utf8))) { hashes[$0] = $1 }
            roots.append(frontier.root)
        }
        (self.roots, self.hashes) = (roots, hashes)
    }

    var largest: Int { roots.count - 1 }

    func note(_ size: Int) throws -> SignedNote {
        let text = Checkpoint(origin: key.verifier.name, head: TreeHead(size: UInt64(size), root: roots[size])).text
        return try SignedNote(text: text, signatures: [try key.sign(text)])
    }

    func request(from old: Int, to new: Int) throws -> [UInt8] {
        let proof = try ConsistencyProof(from: UInt64(old), to: UInt64(new)) { node in
            guard let hash = hashes[node] else { throw TransparencyLogError(.tileMissing, "\(node)") }
            return hash
        }
        return try CheckpointSubmission(oldSize: UInt64(old), proof: proof, note: try note(new)).bytes
    }
}
