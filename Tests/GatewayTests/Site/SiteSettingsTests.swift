import CaptureProtocol
import Foundation
import ServiceRuntime
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("Settings of the site")
struct SiteSettingsTests {
    @Test("nothing is listed, shown or advertised unless the operator says so")
    func defaults() throws {
        let settings = try Self.settings([:])
        #expect(!settings.listsRecords && settings.example == nil && settings.appStore == nil && settings.mediaOrigin == nil)
        #expect(settings.logPolicy == nil)
        #expect(settings.isSecure)
    }

    @Test("what the operator says is taken")
    func given() throws {
        let settings = try Self.settings([
            "RIAL_SITE_INDEX": "1", "RIAL_SITE_EXAMPLE": Samples.id.description, "RIAL_APP_STORE_URL": "https://apps.apple.com/app/id1",
        ])
        #expect(settings.listsRecords && settings.example == Samples.id && settings.appStore == "https://apps.apple.com/app/id1")
    }

    @Test("the log's policy is text, or a file")
    func policy() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("quorum none\n# ours\n".utf8).write(to: file)
        #expect(try Self.settings(["RIAL_LOG_POLICY": file.path]).logPolicy == "quorum none\n# ours\n")
        #expect(try Self.settings(["RIAL_LOG_POLICY": "# ours\nquorum none\n"]).logPolicy == "# ours\nquorum none\n")
    }

    @Test(
        "what cannot be meant stops the start and names the variable",
        arguments: [
            ("RIAL_SITE_INDEX", "yes"), ("RIAL_SITE_INDEX", "2"), ("RIAL_SITE_EXAMPLE", "Ab3dE6gH"), ("RIAL_APP_STORE_URL", "nowhere"),
            ("RIAL_LOG_POLICY", "/nowhere/policy"),
        ])
    func refused(name: String, value: String) {
        #expect(performing: { try Self.settings([name: value]) }, throws: { "\($0)".contains(name) })
    }

    private static func settings(_ variables: [String: String]) throws -> SiteSettings {
        try SiteSettings(ServiceEnvironment(variables), publicURL: publicURL, mediaEndpoint: nil)
    }
}
