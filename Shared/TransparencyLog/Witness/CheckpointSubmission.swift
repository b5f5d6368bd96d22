/// What a log asks of a witness: the body of `add-checkpoint` (c2sp.org/tlog-witness).
public struct CheckpointSubmission: Sendable, Equatable {
    /// Size of the checkpoint that the log believes the witness cosigned last; 0 if none.
    public let oldSize: UInt64
    /// From that to the new one; empty if the old size is 0 or both are equal.
    public let proof: ConsistencyProof
    public let note: SignedNote
    /// The note's text.
    public let checkpoint: Checkpoint

    /// - Throws: ``TransparencyLogError/Code/tooLong`` for more hashes than a witness takes,
    ///   ``TransparencyLogError/Code/malformedCheckpoint``.
    public init(oldSize: UInt64, proof: ConsistencyProof, note: SignedNote) throws(TransparencyLogError) {
        guard proof.hashes.count <= ConsistencyProof.maximumHashes else {
            throw TransparencyLogError(.tooLong, "a proof has at most 63 hashes")
        }
        checkpoint = try Checkpoint(text: note.text)
        self.oldSize = oldSize
        self.proof = proof
        self.note = note
    }

    /// Reads a body.
    /// - Throws: ``TransparencyLogError/Code/malformedRequest``, ``TransparencyLogError/Code/malformedCheckpoint``,
    ///   ``TransparencyLogError/Code/tooLong``, and what ``SignedNote/init(_:)`` throws; ``WitnessAnswer/refusal(of:)`` has the answer.
    public init(_ body: [UInt8]) throws(TransparencyLogError) {
        guard body.count <= Self.maximumBytes else { throw TransparencyLogError(.tooLong, "a request is at most a note and a proof") }
        var reader = LineReader(body)
        guard let oldSize = reader.next(after: Self.oldPrefix).flatMap({ UInt64(decimal: $0) }),
            let hashes = reader.hashes(limit: ConsistencyProof.maximumHashes)
        else { throw TransparencyLogError(.malformedRequest, "is not an old size, at most 63 hashes and an empty line") }
        let note = try SignedNote(Array(reader.rest))
        try self.init(oldSize: oldSize, proof: ConsistencyProof(hashes: hashes), note: note)
    }

    /// The body that is sent.
    public var bytes: [UInt8] {
        let lines = ["\(Self.oldPrefix)\(oldSize)"] + proof.hashes.map(\.base64) + [""]
        return lines.flatMap { Array($0.utf8) + [0x0a] } + note.bytes
    }

    /// The most bytes of a body.
    public static let maximumBytes = SignedNote.maximumBytes + 4096

    private static let oldPrefix = "old "
}
