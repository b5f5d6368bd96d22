/// Why a record was dead-lettered, and thus a capture or a registration failed. The API shows it as `failure` (SPEC §1, §6).
public enum FailureReason: String, Sendable, CaseIterable {
    // About records.
    case undecodable
    case tombstone
    case noEventID = "no_event_id"
    /// A fault of the service, not of the capture: a retry may succeed.
    case handlingFailed = "handling_failed"
    case processDied = "process_died"
    // About rows.
    case captureUnknown = "capture_unknown"
    case captureUnreadable = "capture_unreadable"
    case deviceUnknown = "device_unknown"
    case registrationUnknown = "registration_unknown"
    case registrationUnreadable = "registration_unreadable"
    // About uploaded and derived objects.
    case intakeMissing = "intake_missing"
    case originalMissing = "original_missing"
    case pictureMissing = "picture_missing"
    case digestMismatch = "digest_mismatch"
    case metadataUnreadable = "metadata_unreadable"
    case depthUnreadable = "depth_unreadable"
}
