/// Which logs and witnesses are trusted (c2sp.org/tlog-policy).
public struct TrustPolicy: Sendable, Equatable {
    /// The most bytes of a policy, and the most logs, witnesses and groups each.
    public static let maximumBytes = 262_144
    public static let maximumLines = 256

    /// As it was read.
    public let bytes: [UInt8]
    public let logs: [TrustedLog]
    public let witnesses: [TrustedWitness]
    let quorum: Quorum

    /// Reads a policy.
    /// - Throws: ``TransparencyLogError/Code/malformedPolicy``, also if a key stands twice, as log or witness, or is of small order;
    ///   ``TransparencyLogError/Code/tooLong``.
    public init(_ bytes: [UInt8]) throws(TransparencyLogError) {
        var reader = PolicyReader()
        try reader.read(bytes)
        guard reader.hasQuorum else { throw TransparencyLogError(.malformedPolicy, "has no quorum line") }
        self.bytes = bytes
        logs = reader.logs
        witnesses = reader.witnesses
        quorum = reader.quorum
    }

    /// Trusts no log and asks for no witness.
    public static let empty = TrustPolicy(unchecked: Array("quorum none\n".utf8))

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
        logs = []
        witnesses = []
        quorum = Quorum()
    }

    /// Keys of all logs and witnesses.
    public var keys: [VerifierKey] { logs.map(\.key) + witnesses.map(\.key) }

    /// Verifies a log's checkpoint and looks who cosigned it.
    /// - Throws: ``TransparencyLogError/Code/falseSignature`` if a signature by a key of the policy does not verify,
    ///   ``TransparencyLogError/Code/malformedCheckpoint``, ``TransparencyLogError/Code/unknownLog`` if no log of this origin signed it.
    public func validate(_ note: SignedNote) throws(TransparencyLogError) -> ValidatedCheckpoint {
        let signatures = try note.verified(by: keys)
        let checkpoint = try Checkpoint(text: note.text)
        guard let logKey = signatures.first(where: { $0.key.kind == .log && $0.key.name == checkpoint.origin })?.key else {
            throw TransparencyLogError(.unknownLog, "no log of the policy signed the checkpoint under its origin")
        }
        let times = Self.earliest(signatures)
        let cosigners = witnesses.compactMap { witness in
            times[witness.key].map { ValidatedCheckpoint.Cosigner(witness: witness, seconds: $0) }
        }
        return ValidatedCheckpoint(
            note: note, checkpoint: checkpoint, logKey: logKey, cosigners: cosigners, quorum: quorum.standing(times))
    }

    /// Whether these signatures make a quorum.
    public func standing(_ signatures: [VerifiedSignature]) -> QuorumStanding { quorum.standing(Self.earliest(signatures)) }

    private static func earliest(_ signatures: [VerifiedSignature]) -> [VerifierKey: UInt64] {
        let times = signatures.compactMap { signature in signature.seconds.map { (signature.key, $0) } }
        return Dictionary(times) { min($0, $1) }
    }
}

/// A checkpoint that a log of the policy signed.
public struct ValidatedCheckpoint: Sendable, Equatable {
    /// A witness of the policy that cosigned.
    public struct Cosigner: Sendable, Equatable {
        public let witness: TrustedWitness
        /// POSIX time of its earliest cosignature.
        public let seconds: UInt64
    }

    public let note: SignedNote
    public let checkpoint: Checkpoint
    public let logKey: VerifierKey
    /// In the policy's order.
    public let cosigners: [Cosigner]
    public let quorum: QuorumStanding

    /// The note as the log alone signed it: what a time-stamp token is over.
    public var stampedBytes: [UInt8] { note.reduced(to: [logKey])?.bytes ?? [] }
}
