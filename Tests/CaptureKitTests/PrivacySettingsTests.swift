import CaptureKit
import CaptureProtocol
import Testing

@Suite("Privacy settings")
struct PrivacySettingsTests {
    private let secrets = MemorySecureStore()
    private var store: PrivacySettingsStore { PrivacySettingsStore(secrets) }

    @Test("are off until a person turns them on, and then share what the public sees of any capture")
    func standard() throws {
        let settings = try store.load()
        #expect(settings == .standard && !settings.isOn)
        #expect(settings.flags == MetadataFlags(location: .coarse, timestamp: .exact, device: .model))
        #expect(try secrets.load(.privacySettings) == nil)
    }

    @Test("are kept for the next process, whatever they are", arguments: MetadataFlags.all)
    func kept(flags: MetadataFlags) throws {
        for isOn in [true, false] {
            let settings = PrivacySettings(isOn: isOn, flags: flags)
            try store.save(settings)
            #expect(try PrivacySettingsStore(secrets).load() == settings)
        }
    }

    @Test(
        "are not guessed from anything else than what was saved",
        arguments: [
            "", "{}", "null", "on", #"{"version":1}"#,
            #"{"device":"model","location":"coarse","on":true,"timestamp":"exact"}"#,
            #"{"device":"model","location":"coarse","on":true,"timestamp":"exact","version":2}"#,
            #"{"device":"model","location":"coarse","on":1,"timestamp":"exact","version":1}"#,
            #"{"device":"model","location":"coarse","on":"true","timestamp":"exact","version":1}"#,
            #"{"device":"model","location":"city","on":true,"timestamp":"exact","version":1}"#,
            #"{"device":"model","location":"coarse","on":true,"on":false,"timestamp":"exact","version":1}"#,
            #"{"altitude":"none","device":"model","location":"coarse","on":true,"timestamp":"exact","version":1}"#,
            #"{"device":"model","location":"coarse","on":true,"timestamp":"exact","version":1"#,
        ])
    func damaged(text: String) throws {
        try secrets.save(Array(text.utf8), as: .privacySettings)
        #expect(throws: PrivacySettingsError.damaged) { try store.load() }
        let settings = PrivacySettings(isOn: true, flags: MetadataFlags(location: .none, timestamp: .none, device: .none))
        try store.save(settings)
        #expect(try store.load() == settings)
    }

    @Test("come along to a new device, unlike what is the old one's alone")
    func newDevice() throws {
        let settings = PrivacySettings(isOn: true, flags: MetadataFlags(location: .none, timestamp: .day, device: .none))
        try store.save(settings)
        for item in [SecureItem.storeKey, .identities] { try secrets.save([1], as: item) }
        secrets.moveToAnotherDevice()
        #expect(try store.load() == settings)
        #expect(try secrets.load(.storeKey) == nil)
        #expect(try secrets.load(.identities) == nil)
    }

    @Test("cannot be read before the first unlock, which is not taken for never set")
    func locked() throws {
        try store.save(.standard)
        secrets.isLocked = true
        #expect(throws: PrivacySettingsError.notReadable(.locked)) { try store.load() }
        secrets.isLocked = false
        #expect(try store.load() == .standard)
    }

    @Test("have one code for programs when they are not known")
    func code() {
        for error in [PrivacySettingsError.damaged, .notReadable(.locked), .notReadable(.failed("errno 5"))] {
            #expect("\(error)".hasSuffix("(privacy_settings_unknown)"))
        }
    }
}
