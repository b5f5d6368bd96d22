import CaptureProtocol
import Secrets
import ServiceRuntime
import Testing

@testable import Gateway

@Suite("The gateway's settings")
struct SettingsTests {
    private static let variables = [
        "RIAL_MODE": "development", "RIAL_DATABASE_URL": "postgresql://u:hunter2@h/d", "RIAL_KAFKA_BROKERS": "h:1",
        "RIAL_S3_ENDPOINT": "http://h", "RIAL_S3_REGION": "r", "RIAL_S3_BUCKET": "b", "RIAL_S3_ACCESS_KEY_ID": "k",
        "RIAL_S3_SECRET_ACCESS_KEY": "hunter2", "RIAL_ADMIN_PORT": "9090", "RIAL_PUBLIC_URL": "https://rial.example/",
        "RIAL_LINK_KEY": String(repeating: "ab", count: 32),
    ]

    @Test("the key of media links is read and never shown")
    func linkKey() throws {
        let settings = try Settings(ServiceEnvironment(Self.variables))
        #expect(settings.linkKey.value == [UInt8](repeating: 0xab, count: 32))
        var text = "\(settings)"
        dump(settings, to: &text)
        // Bytes would be shown in decimal: by a description with commas, by a dump in lines. A path may well contain such a number.
        #expect(!text.contains("171, 171") && !text.contains("- 171\n"))
        #expect(!text.contains("hunter2") && text.contains("linkKey: (secret)") && text.contains("https://rial.example"))
    }

    @Test(
        "files that are verified have half of the scratch folder, media of bundles the other",
        arguments: [("800", 400 << 20), ("200", SizeLimits.video), ("0", 0)])
    func scratch(megabytes: String, share: Int) throws {
        let variables = Self.variables.merging(["RIAL_SCRATCH_MB": megabytes]) { $1 }
        let settings = try Settings(ServiceEnvironment(variables))
        #expect(settings.verification.scratchShareBytes == Int64(share))
    }

    @Test("a scratch folder is refused whose half holds no video", arguments: ["1", "199", "-1"])
    func narrow(megabytes: String) {
        let variables = Self.variables.merging(["RIAL_SCRATCH_MB": megabytes]) { $1 }
        let error = #expect(throws: SettingsError.self) { try Settings(ServiceEnvironment(variables)) }
        #expect(error?.variable == "RIAL_SCRATCH_MB" && error?.problem.contains(megabytes) == true)
    }

    @Test("a key of media links that is short or neither hex nor base64 is refused", arguments: ["", "ab", "!"])
    func unfit(key: String) {
        let variables = Self.variables.merging(["RIAL_LINK_KEY": key]) { $1 }
        let error = #expect(throws: SettingsError.self) { try Settings(ServiceEnvironment(variables)) }
        #expect(error?.variable == "RIAL_LINK_KEY")
    }
}
