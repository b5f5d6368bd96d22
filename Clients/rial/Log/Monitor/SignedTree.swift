import CaptureProtocol
import TransparencyLog

/// A checkpoint that the log signed, and where it was seen.
struct SignedTree: Sendable, Equatable {
    let note: SignedNote
    let checkpoint: Checkpoint
    /// For people.
    let source: String

    var head: TreeHead { checkpoint.head }
    var size: UInt64 { checkpoint.size }

    /// - Parameter origin: of the log that is followed; `nil` for whichever log of the policy it is.
    /// - Throws: ``LogDefect`` if it is no checkpoint that the log signed.
    init(_ bytes: [UInt8], source: String, policy: TrustPolicy, origin: TextLine?) throws {
        do {
            let validated = try policy.validate(SignedNote(bytes))
            guard origin == nil || validated.checkpoint.origin == origin else {
                throw LogDefect(.malformedCheckpoint, "\(source) is a checkpoint of \(validated.checkpoint.origin)")
            }
            (note, checkpoint) = (validated.note, validated.checkpoint)
        } catch let error as TransparencyLogError {
            throw LogDefect(.malformedCheckpoint, "\(source) cannot be trusted: \(error.message)")
        }
        self.source = source
    }
}

/// Whether two signed trees are one log's.
enum TreeComparison: Sendable, Equatable {
    /// The larger one begins with the smaller one.
    case consistent
    /// It does not. The proof is that the larger tree begins with another one of the smaller one's size, `instead`.
    case forked(instead: TreeHead, proof: ConsistencyProof)

    /// - Parameters:
    ///   - new: not smaller than `old`.
    ///   - tiles: of the tree of `new`.
    /// - Throws: ``LogDefect`` if the tiles prove neither.
    init(_ old: TreeHead, _ new: TreeHead, tiles: PublishedTiles) async throws {
        guard old.size > 0, old.size < new.size else {
            // Two of one size, or one without leaves, of which there is one.
            let other = old.size == 0 ? TreeHead.empty : new
            self = old == other ? .consistent : .forked(instead: other, proof: ConsistencyProof(hashes: []))
            return
        }
        let nodes = try ConsistencyProof.nodes(from: old.size, to: new.size)
        let roots = try await tiles.roots(of: nodes + MerkleFrontier.nodes(size: old.size), size: new.size)
        let proof = try ConsistencyProof(from: old.size, to: new.size, read: roots.root)
        let instead = try MerkleFrontier(size: old.size, read: roots.root).head
        if proof.proves(old, isPrefixOf: new) {
            self = .consistent
        } else if proof.proves(instead, isPrefixOf: new) {
            self = .forked(instead: instead, proof: proof)
        } else {
            throw LogDefect(.tileChanged, "the tiles do not lead to the root of the checkpoint of \(new.size) entries")
        }
    }
}
