/// Why a record was given up, and so why a capture or a registration failed. The API shows it as `failure` (SPEC §1, §6).
public enum FailureReason: String, Sendable, CaseIterable {
    // Of records.
    case undecodable
    case tombstone
    case noEventID = "no_event_id"
    /// A fault of ours: nothing about the capture says that it cannot succeed.
    case handlingFailed = "handling_failed"
    case processDied = "process_died"
    // Of rows.
    case captureUnknown = "capture_unknown"
    case captureUnreadable = "capture_unreadable"
    case deviceUnknown = "device_unknown"
    case registrationUnknown = "registration_unknown"
    case registrationUnreadable = "registration_unreadable"
    // Of what was uploaded, and made of it.
    case intakeMissing = "intake_missing"
    case originalMissing = "original_missing"
    case pictureMissing = "picture_missing"
    case digestMismatch = "digest_mismatch"
    case metadataUnreadable = "metadata_unreadable"
    case depthUnreadable = "depth_unreadable"
}
