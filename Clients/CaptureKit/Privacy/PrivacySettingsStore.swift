import CaptureProtocol

/// Keeps the ``PrivacySettings`` across starts, as JSON in the item `privacy-settings` of the ``SecureStore``.
///
/// Reads them anew each time, since another process may have set them. Load them at the shutter: a capture has the settings of that moment.
public struct PrivacySettingsStore: Sendable {
    private static let version = 1

    private let secrets: any SecureStore

    public init(_ secrets: any SecureStore) { self.secrets = secrets }

    /// - Returns: ``PrivacySettings/standard`` until a person has chosen.
    /// - Throws: ``PrivacySettingsError``.
    public func load() throws(PrivacySettingsError) -> PrivacySettings {
        let bytes: [UInt8]?
        do throws(SecureStoreError) {
            bytes = try secrets.load(.privacySettings)
        } catch {
            throw .notReadable(error)
        }
        guard let bytes else { return .standard }
        guard let settings = Self.settings(bytes) else { throw .damaged }
        return settings
    }

    /// Durable when it returns; in the place of damaged ones too.
    public func save(_ settings: PrivacySettings) throws(SecureStoreError) {
        let members: [String: StrictJSON] = [
            "version": .number(Double(Self.version)), "on": .bool(settings.isOn), "location": .string(settings.flags.location.rawValue),
            "timestamp": .string(settings.flags.timestamp.rawValue), "device": .string(settings.flags.device.rawValue),
        ]
        guard let bytes = try? WireJSON.encode(members) else { throw .failed("the privacy settings cannot be encoded") }
        try secrets.save(bytes, as: .privacySettings)
    }

    /// - Returns: `nil` for anything but what ``save(_:)`` writes: a member that a later version added may keep more back.
    private static func settings(_ bytes: [UInt8]) -> PrivacySettings? {
        guard case .object(let members)? = try? StrictJSON(bytes), members.count == 5, members["version"] == .number(Double(version)),
            case .bool(let isOn)? = members["on"], let location: MetadataFlags.Location = word(members["location"]),
            let timestamp: TimePrecision = word(members["timestamp"]), let device: MetadataFlags.Device = word(members["device"])
        else { return nil }
        return PrivacySettings(isOn: isOn, flags: MetadataFlags(location: location, timestamp: timestamp, device: device))
    }

    private static func word<Word: RawRepresentable>(_ value: StrictJSON?) -> Word? where Word.RawValue == String {
        guard case .string(let text)? = value else { return nil }
        return Word(rawValue: text)
    }
}
