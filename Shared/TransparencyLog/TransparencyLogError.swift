/// Why something of a transparency log is refused, or cannot be made.
public struct TransparencyLogError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// Not a note of c2sp.org/signed-note.
        case malformedNote = "malformed_note"
        /// A signature line of a note is malformed, or there are none or too many.
        case malformedSignature = "malformed_signature"
        /// Not a verifier or signer key, or one that must not be used.
        case malformedKey = "malformed_key"
        /// A note whose text is not a checkpoint of c2sp.org/tlog-checkpoint.
        case malformedCheckpoint = "malformed_checkpoint"
        /// Not a proof of c2sp.org/tlog-proof.
        case malformedProof = "malformed_proof"
        /// Not a policy of c2sp.org/tlog-policy, or one that trusts a key twice.
        case malformedPolicy = "malformed_policy"
        /// Not a request or an answer of c2sp.org/tlog-witness.
        case malformedRequest = "malformed_request"
        /// Not a path, a tile or an entry bundle of c2sp.org/tlog-tiles.
        case malformedTile = "malformed_tile"
        /// Longer than is read.
        case tooLong = "too_long"
        /// An index or a size that the tree does not have.
        case outOfRange = "out_of_range"
        /// A tile that is needed was not given.
        case tileMissing = "tile_missing"
        /// The key is not of the kind that makes such a signature.
        case wrongKey = "wrong_key"
        /// A signature by a known key that does not verify: it spoils the note.
        case falseSignature = "false_signature"
        /// No log of the policy signed the checkpoint under its origin.
        case unknownLog = "unknown_log"
        /// Too few witnesses of the policy cosigned.
        case quorumMissing = "quorum_missing"
        /// The hashes do not lead to the checkpoint's root.
        case notIncluded = "not_included"
    }

    public let code: Code
    /// For the log; nothing of the input is in it.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
