import TransparencyLog

/// A connection to a witness.
protocol WitnessConnection: Sendable {
    var witness: TrustedWitness { get }

    /// Sends `add-checkpoint`.
    /// - Throws: if there is no answer.
    func add(_ submission: CheckpointSubmission) async throws -> WitnessReply
}

struct WitnessReply: Sendable, Equatable {
    let status: Int
    let body: [UInt8]
}
