import CaptureProtocol
import Models
import Persistence

/// One service's part as the assembler stores it.
struct StoredPart: Sendable {
    let part: EvidencePart
    /// Present if the part is done.
    let result: PostgresJSON?
    /// Present if the service dead-lettered its event.
    let reason: StableWord<FailureReason>?
}
