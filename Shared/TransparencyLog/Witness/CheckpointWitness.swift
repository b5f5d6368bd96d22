/// What a witness decides, from its key, the logs that it knows, and what it has cosigned before. Storing is up to its caller.
public struct CheckpointWitness: Sendable {
    private let signer: SignerKey
    /// The logs' keys; the name is the origin.
    private let logs: [VerifierKey]

    /// - Throws: ``TransparencyLogError/Code/wrongKey`` if the signer's key is not a witness's, a log's key is not a log's, or both are
    ///   the same key.
    public init(signer: SignerKey, logs: [VerifierKey]) throws(TransparencyLogError) {
        guard signer.verifier.kind == .witness, logs.allSatisfy({ $0.kind == .log && !$0.isSameKey(as: signer.verifier) }) else {
            throw TransparencyLogError(.wrongKey, "a witness signs with a key of its own, and only logs submit")
        }
        self.signer = signer
        self.logs = logs
    }

    /// Decides about a request. Between reading `latest` and storing the answer's head no other request of the origin may be decided.
    /// - Parameters:
    ///   - latest: size and root of the checkpoint of this origin that was cosigned last; `nil` if none was.
    ///   - seconds: now, POSIX time.
    /// - Throws: ``TransparencyLogError/Code/outOfRange`` for a time above 2^63 − 1, ``TransparencyLogError/Code/tooLong`` if the
    ///   note has no room for the cosignature.
    public func answer(_ request: CheckpointSubmission, latest: TreeHead?, at seconds: UInt64) throws(TransparencyLogError) -> WitnessAnswer
    {
        let head = request.checkpoint.head
        let keys = logs.filter { $0.name == request.checkpoint.origin }
        guard !keys.isEmpty else { return .unknownLog }
        guard let signatures = try? request.note.verified(by: keys), !signatures.isEmpty, let signed = request.note.reduced(to: keys) else {
            return .forbidden
        }
        guard request.oldSize <= head.size else { return .malformed }
        let latest = latest ?? .empty
        guard request.oldSize == latest.size else { return .conflict(size: latest.size) }
        guard Self.isConsistent(latest, head, request.proof) else { return .inconsistent }
        let cosignature = try signer.cosign(request.note.text, at: seconds)
        return .cosigned(cosignature, note: try signed.adding([cosignature]), head: head)
    }

    /// Every tree begins with the one without leaves, which needs no proof.
    private static func isConsistent(_ old: TreeHead, _ new: TreeHead, _ proof: ConsistencyProof) -> Bool {
        guard old.size == 0 else { return proof.proves(old, isPrefixOf: new) }
        return proof.hashes.isEmpty && (new.size > 0 || new.root == MerkleHash.empty)
    }
}
