import CaptureProtocol
import Testing
import TransparencyLog

@Suite("Merkle trees")
struct MerkleTreeTests {
    private static let largest = 130
    private static let half: UInt64 = 9_223_372_036_854_775_808
    private static let largestSizes: [UInt64] = [.max, .max - 1, half, half + 1, half - 1]

    private let tree = ReferenceTree(count: Self.largest)

    @Test("roots and right edges are those of RFC 6962 at every size")
    func roots() {
        var frontier = MerkleFrontier()
        for size in 0...Self.largest {
            #expect(frontier.head == TreeHead(size: UInt64(size), root: tree.root(size)))
            #expect(MerkleFrontier(size: UInt64(size), read: tree.read) == frontier)
            #expect(MerkleFrontier(size: UInt64(size), subtrees: frontier.subtrees) == frontier)
            #expect(MerkleFrontier(size: UInt64(size) + 1, subtrees: frontier.subtrees + [.init(of: [0]), .init(of: [1])]) == nil)
            if size < Self.largest { frontier.append(tree.leaves[size]) }
        }
        #expect(MerkleHash.root(ofLeaves: tree.leaves) == tree.root(Self.largest))
    }

    @Test("appending tells each complete subtree once, with its root")
    func completed() {
        var frontier = MerkleFrontier()
        var told: [TreeNode: ContentDigest] = [:]
        for leaf in tree.leaves {
            frontier.append(leaf) { node, root in
                #expect(told.updateValue(root, forKey: node) == nil)
                #expect(root == tree.read(node))
            }
        }
        #expect(told.count == (0..<8).reduce(0) { $0 + Self.largest >> $1 })
    }

    @Test("inclusion proofs of all leaves at all sizes are made and verify, and with anything else do not")
    func inclusion() throws {
        for size in 1...Self.largest {
            let head = TreeHead(size: UInt64(size), root: tree.root(size))
            for index in 0..<size {
                let proof = try InclusionProof(index: UInt64(index), size: UInt64(size), read: tree.read)
                #expect(proof.hashes == tree.path(index, size))
                #expect(proof.proves(tree.leaves[index], at: UInt64(index), in: head))
                #expect(!proof.proves(tree.leaves[index], at: UInt64(index) ^ 1, in: head))
                #expect(!proof.proves(tree.root(0), at: UInt64(index), in: head))
                #expect(!InclusionProof(hashes: proof.hashes + [head.root]).proves(tree.leaves[index], at: UInt64(index), in: head))
                if size > 1 {
                    #expect(!InclusionProof(hashes: proof.hashes.dropLast()).proves(tree.leaves[index], at: UInt64(index), in: head))
                }
            }
        }
    }

    @Test("consistency proofs of all pairs of sizes are made and verify, and with another root do not")
    func consistency() throws {
        for size in 1...Self.largest {
            let new = TreeHead(size: UInt64(size), root: tree.root(size))
            for oldSize in 0...size {
                let old = TreeHead(size: UInt64(oldSize), root: tree.root(oldSize))
                let proof = try ConsistencyProof(from: old.size, to: new.size, read: tree.read)
                #expect(proof.hashes == (oldSize == 0 ? [] : tree.proof(oldSize, size)))
                #expect(proof.proves(old, isPrefixOf: new) == (oldSize > 0))
                #expect(!proof.proves(TreeHead(size: old.size, root: .init(of: [0])), isPrefixOf: new))
                #expect(!proof.proves(old, isPrefixOf: TreeHead(size: new.size, root: .init(of: [0]))))
                #expect(!ConsistencyProof(hashes: proof.hashes + [new.root]).proves(old, isPrefixOf: new))
                if !proof.hashes.isEmpty { #expect(!ConsistencyProof(hashes: proof.hashes.dropLast()).proves(old, isPrefixOf: new)) }
            }
        }
    }

    @Test("a tree has no other leaves, and no tree is older than a smaller one", arguments: [[0, 0], [5, 5], [.max, 7]] as [[UInt64]])
    func outOfRange(pair: [UInt64]) {
        let (index, size) = (pair[0], pair[1])
        #expect(throws: TransparencyLogError.self) { try InclusionProof(index: index, size: size, read: tree.read) }
        #expect(throws: TransparencyLogError.self) { try ConsistencyProof.nodes(from: size &+ 1, to: size) }
        #expect(!InclusionProof(hashes: []).proves(.init(of: [0]), at: index, in: TreeHead(size: size, root: .init(of: [0]))))
    }

    @Test("the largest sizes overflow nothing", arguments: Self.largestSizes)
    func overflow(size: UInt64) throws {
        let read: (TreeNode) -> ContentDigest = { ContentDigest(of: Array("\($0.level) \($0.index)".utf8)) }
        let head = MerkleFrontier(size: size, read: read).head
        for index in [0, 1, size / 2, size - 2, size - 1] {
            let proof = try InclusionProof(index: index, size: size, read: read)
            #expect(proof.hashes.count <= InclusionProof.maximumHashes)
            _ = proof.proves(head.root, at: index, in: head)
        }
        for old in [1, size / 2, size - 1] {
            let proof = try ConsistencyProof(from: old, to: size, read: read)
            #expect(!proof.proves(TreeHead(size: old, root: .init(of: [0])), isPrefixOf: head))
        }
        var edge = MerkleFrontier(size: size, read: read)
        edge.append(head.root)
        #expect(edge.size == (size == .max ? .max : size + 1))
    }
}
