public import CaptureProtocol

/// Whether photos stay on the device, and how much of their metadata is shared then (SPEC §9).
public struct PrivacySettings: Sendable, Hashable {
    /// Only a hash of the photo, the depth's measurements and what ``flags`` share are sent.
    public var isOn: Bool
    public var flags: MetadataFlags

    public init(isOn: Bool, flags: MetadataFlags) {
        self.isOn = isOn
        self.flags = flags
    }

    /// Before a person has chosen: off; and once it is on, what the public sees of captures that are sent in full.
    public static let standard = PrivacySettings(isOn: false, flags: MetadataFlags(location: .coarse, timestamp: .exact, device: .model))
}

/// Why the settings are not known. Nothing is captured then: it might be sent against its person's will.
public enum PrivacySettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// They cannot be read now, such as before the first unlock after a restart.
    case notReadable(SecureStoreError)
    /// What is kept is no settings of this version; they must be set again.
    case damaged

    /// For programs; the same for all cases.
    public static let code = "privacy_settings_unknown"

    /// For a person, in English.
    public var explanation: String {
        switch self {
        case .notReadable: "The privacy settings cannot be read now, so nothing is captured."
        case .damaged: "The privacy settings are damaged. Nothing is captured until they are set again."
        }
    }

    public var description: String { "\(explanation) (\(Self.code))" }
}
