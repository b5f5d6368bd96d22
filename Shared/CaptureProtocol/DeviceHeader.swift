/// The names of the headers that authenticate a device's request (SPEC §2).
public enum DeviceHeader: String, Sendable, CaseIterable {
    /// A ``DeviceID``.
    case deviceID = "X-Device-Id"
    /// Unix milliseconds, in digits.
    case timestamp = "X-Device-Timestamp"
    /// Base64, over ``RequestMessage``.
    case signature = "X-Device-Signature"
    /// The version of ``RequestMessage``; 1 if absent.
    case signatureVersion = "X-Device-Signature-Version"
}
