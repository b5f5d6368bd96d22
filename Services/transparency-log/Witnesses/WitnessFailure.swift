/// Why a witness gave no cosignature; the `reason` of `rial_log_witness_failures_total`.
enum WitnessFailure: String, CaseIterable, Sendable {
    case unreachable
    case slow
    /// A status of 5xx.
    case unavailable
    /// It asks for fewer requests (429).
    case limited
    case refused
    /// It reports a different size each time.
    case conflict
    case malformed
    /// Its cosignature does not verify.
    case signature
    /// Its clock, or this service's, is wrong.
    case time
    /// This service could not make the proof that the tree begins with the one that the witness has cosigned.
    case proof
}
