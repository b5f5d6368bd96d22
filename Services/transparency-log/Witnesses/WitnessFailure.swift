/// Why a witness gave no cosignature; the `reason` of `rial_log_witness_failures_total`.
enum WitnessFailure: String, CaseIterable, Sendable {
    case unreachable
    case slow
    /// A status of 5xx.
    case unavailable
    /// It asks for fewer requests (429).
    case limited
    case refused
    /// It names another size each time.
    case conflict
    case malformed
    /// Its cosignature does not verify.
    case signature
    /// Its clock, or ours, is false.
    case time
    /// We could not prove that the tree goes on from its own.
    case proof
}
