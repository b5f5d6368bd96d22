import CaptureProtocol
import Testing
import TransparencyLog

@Suite("Merkle proofs of other implementations", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
struct MerkleVectorTests {
    private struct Inclusion: Decodable {
        let name: String
        let leafIdx: UInt64
        let treeSize: UInt64
        let root: String
        let leafHash: String
        let proof: [String]?
        let wantErr: Bool

        var isProved: Bool {
            guard let root = ContentDigest(base64: root), let leaf = ContentDigest(base64: leafHash), let hashes = digests(proof) else {
                return false
            }
            return InclusionProof(hashes: hashes).proves(leaf, at: leafIdx, in: TreeHead(size: treeSize, root: root))
        }
    }

    private struct Consistency: Decodable {
        let name: String
        let size1: UInt64
        let size2: UInt64
        let root1: String
        let root2: String
        let proof: [String]?
        let wantErr: Bool

        /// Upstream the roots of one vector have 12 bytes, which a generic verifier takes and ours does not.
        var hasShortRoots: Bool { name == "consistency/additional/sizes-are-equal-one-and-proof-is-empty" }

        var isProved: Bool {
            guard let root1 = ContentDigest(base64: root1), let root2 = ContentDigest(base64: root2), let hashes = digests(proof) else {
                return false
            }
            let (old, new) = (TreeHead(size: size1, root: root1), TreeHead(size: size2, root: root2))
            return ConsistencyProof(hashes: hashes).proves(old, isPrefixOf: new)
        }
    }

    @Test("inclusion proofs verify, or do not, as they should")
    func inclusion() throws {
        let vectors = try Vectors.json("merkle-inclusion.json", as: [Inclusion].self)
        #expect(vectors.count == 98 && vectors.contains { !$0.wantErr })
        for vector in vectors { #expect(vector.isProved != vector.wantErr, "\(vector.name)") }
    }

    @Test("consistency proofs verify, or do not, as they should")
    func consistency() throws {
        let vectors = try Vectors.json("merkle-consistency.json", as: [Consistency].self)
        #expect(vectors.count == 99 && vectors.contains { !$0.wantErr })
        for vector in vectors { #expect(vector.isProved != (vector.wantErr || vector.hasShortRoots), "\(vector.name)") }
    }
}

/// `nil` if one is not 32 bytes.
private func digests(_ texts: [String]?) -> [ContentDigest]? {
    let digests = (texts ?? []).map { ContentDigest(base64: $0) }
    return digests.contains(nil) ? nil : digests.compactMap { $0 }
}
