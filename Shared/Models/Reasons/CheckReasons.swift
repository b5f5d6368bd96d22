/// The reasons for every status of the hardware check but `pass` (SPEC §3).
public enum HardwareReason: String, Sendable, CaseIterable {
    case noAssertion = "no_assertion"
    case deviceUnverified = "device_unverified"
    case deviceRevoked = "device_revoked"
    // The assertion does not verify, or was replayed.
    case malformedCBOR = "malformed_cbor"
    case malformedObject = "malformed_object"
    case malformedAuthData = "malformed_auth_data"
    case keyType = "key_type"
    case badSignature = "bad_signature"
    case appIDMismatch = "app_id_mismatch"
    case counterReplay = "counter_replay"
    // Reasons that only a video's checkpoints have (SPEC §10.4).
    case checkpointInvalid = "checkpoint_invalid"
    case counterOrder = "counter_order"
    /// A signature of the original layout verifies, but covers nothing that was uploaded (SPEC §10.5).
    case mediaNotBound = "media_not_bound"
    // The assertion verifies, but this installation does not accept the device or the binding.
    case appNotAccepted = "app_not_accepted"
    case environmentMismatch = "environment_mismatch"
    case developmentDevice = "development_device"
    case distributionNotAccepted = "distribution_not_accepted"
    case appVersionNotAccepted = "app_version_not_accepted"
    case bindingRetired = "binding_retired"
}

/// The reasons for every status of a video's hash chain but `pass` (SPEC §10.4).
public enum HashChainReason: String, Sendable, CaseIterable {
    /// Signed up to a checkpoint.
    case partial
    case unsigned
    /// The original layout, which cannot be computed again.
    case reportedOnly = "reported_only"
    case chainMismatch = "chain_mismatch"
    case mediaNotStored = "media_not_stored"
}

/// The reasons for every status of the timestamp check but `pass` (SPEC §3; for privacy mode §9, for videos §10.4).
public enum TimestampReason: String, Sendable, CaseIterable {
    case afterReceipt = "after_receipt"
    case noEXIFTime = "no_exif_time"
    case noUTCOffset = "no_utc_offset"
    case unreadableEXIFTime = "unreadable_exif_time"
    case differsFromCapturedAt = "differs_from_captured_at"
    case uploadedLate = "uploaded_late"
    case uploadedVeryLate = "uploaded_very_late"
    case dayOnly = "day_only"
    case notShared = "not_shared"
}

/// The reasons for every status of the model check but `pass` (SPEC §3).
public enum ModelReason: String, Sendable, CaseIterable {
    case modelWithoutLiDAR = "model_without_lidar"
    case differsFromRegistered = "differs_from_registered"
    case modelUnknown = "model_unknown"
    case notShared = "not_shared"
}

/// The reasons for `unavailable` of the resolution check, which never fails (SPEC §3).
public enum ResolutionReason: String, Sendable, CaseIterable {
    case sizeUnknown = "size_unknown"
    case modelUnknown = "model_unknown"
    case sizeNotInTable = "size_not_in_table"
    case mediaNotStored = "media_not_stored"
}

/// The reasons for every status of the location check but `pass` (SPEC §3).
public enum LocationReason: String, Sendable, CaseIterable {
    case notProvided = "not_provided"
    case notOnEarth = "not_on_earth"
    case notShared = "not_shared"
}

/// Why there are no Content Credentials, or none yet (SPEC §7).
public enum CredentialsReason: String, Sendable, CaseIterable {
    case suspicious
    case hardwareNotPassed = "hardware_attestation_not_passed"
    /// They will be created when the time-stamp authority is available again.
    case noTimestampYet = "no_timestamp_yet"
    case photoUnreadable = "photo_unreadable"
    case photoNotSignable = "photo_not_signable"
    /// The object to sign is missing or has other bytes.
    case pictureMissing = "picture_missing"
    case digestMismatch = "digest_mismatch"
    case mediaNotStored = "media_not_stored"
}
