public import CaptureProtocol

/// A proof that an entry is in a log, to be verified offline (`c2sp.org/tlog-proof@v1`).
public struct TransparencyProof: Sendable, Equatable {
    /// The most bytes of ``extra``.
    public static let maximumExtraBytes = 65_536

    /// Opaque and covered by nothing; empty if there is no such line.
    public let extra: [UInt8]
    public let index: UInt64
    public let inclusion: InclusionProof
    /// The log's checkpoint with its cosignatures.
    public let note: SignedNote

    /// - Throws: ``TransparencyLogError/Code/tooLong`` for more hashes or extra bytes than are read.
    public init(extra: [UInt8] = [], index: UInt64, inclusion: InclusionProof, note: SignedNote) throws(TransparencyLogError) {
        guard extra.count <= Self.maximumExtraBytes, inclusion.hashes.count <= InclusionProof.maximumHashes else {
            throw TransparencyLogError(.tooLong, "a proof has at most 64 hashes and 64 KiB extra")
        }
        self.extra = extra
        self.index = index
        self.inclusion = inclusion
        self.note = note
    }

    /// Reads a proof.
    /// - Throws: ``TransparencyLogError/Code/malformedProof``, ``TransparencyLogError/Code/tooLong``, and what ``SignedNote/init(_:)``
    ///   throws.
    public init(_ bytes: [UInt8]) throws(TransparencyLogError) {
        guard bytes.count <= SignedNote.maximumBytes + 2 * Self.maximumExtraBytes else {
            throw TransparencyLogError(.tooLong, "a proof is at most a note and its extra bytes")
        }
        var reader = LineReader(bytes)
        guard reader.next()?.elementsEqual(Self.header.utf8) == true else {
            throw TransparencyLogError(.malformedProof, "is not \(Self.header)")
        }
        var extra: [UInt8] = []
        if let line = reader.next(after: Self.extraPrefix) {
            guard let bytes = CanonicalBase64.decode(line), !bytes.isEmpty else {
                throw TransparencyLogError(.malformedProof, "has extra bytes that are not base64, or none")
            }
            extra = bytes
        }
        guard let index = reader.next(after: Self.indexPrefix).flatMap({ UInt64(decimal: $0) }) else {
            throw TransparencyLogError(.malformedProof, "has no index")
        }
        guard let hashes = reader.hashes(limit: InclusionProof.maximumHashes) else {
            throw TransparencyLogError(.malformedProof, "has a hash that is not 32 bytes of base64, too many of them, or no empty line")
        }
        let note = try SignedNote(Array(reader.rest))
        try self.init(extra: extra, index: index, inclusion: InclusionProof(hashes: hashes), note: note)
    }

    /// The proof as it is read.
    public var bytes: [UInt8] {
        var text = Self.header + "\n"
        if !extra.isEmpty { text += "\(Self.extraPrefix)\(Base64.encode(extra))\n" }
        text += "\(Self.indexPrefix)\(index)\n"
        for hash in inclusion.hashes { text += hash.base64 + "\n" }
        return Array(text.utf8) + [0x0a] + note.bytes
    }

    /// Verifies that a leaf is in a log of the policy and that a quorum of its witnesses saw the tree.
    /// - Parameter leaf: its hash, ``MerkleHash/leaf(_:)`` of the entry.
    /// - Throws: ``TransparencyLogError/Code/notIncluded``, ``TransparencyLogError/Code/quorumMissing``, and what
    ///   ``TrustPolicy/validate(_:)`` throws.
    public func verified(leaf: ContentDigest, by policy: TrustPolicy) throws(TransparencyLogError) -> ValidatedCheckpoint {
        let validated = try policy.validate(note)
        guard inclusion.proves(leaf, at: index, in: validated.checkpoint.head) else {
            throw TransparencyLogError(.notIncluded, "the hashes do not lead from the leaf to the checkpoint's root")
        }
        guard validated.quorum != .missing else { throw TransparencyLogError(.quorumMissing, "too few witnesses of the policy cosigned") }
        return validated
    }

    private static let header = "c2sp.org/tlog-proof@v1"
    private static let extraPrefix = "extra "
    private static let indexPrefix = "index "
}
