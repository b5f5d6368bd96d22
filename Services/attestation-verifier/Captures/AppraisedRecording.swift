import Attestation
import Models
import VideoChain

/// The signatures and the chain of a video before the counter check.
struct AppraisedRecording: Sendable {
    let appraisal: HardwareAppraisal
    /// The counters of all assertions that verify, in the order in which the assertions were made.
    let counters: [UInt32]
    let chain: RecordedChain

    init(_ signatures: RecordingSignatures, _ chain: RecordedChain) {
        appraisal = signatures.appraisal
        counters = signatures.counters
        self.chain = chain
    }
}
