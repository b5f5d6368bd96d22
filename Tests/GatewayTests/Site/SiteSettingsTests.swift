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
        #expect(settings.isSecure)
    }

    @Test("what the operator says is taken")
    func given() throws {
        let settings = try Self.settings([
            "RIAL_SITE_INDEX": "1", "RIAL_SITE_EXAMPLE": Samples.id.description, "RIAL_APP_STORE_URL": "https://apps.apple.com/app/id1",
        ])
        #expect(settings.listsRecords && settings.example == Samples.id && settings.appStore == "https://apps.apple.com/app/id1")
    }

    @Test(
        "what cannot be meant stops the start and names the variable",
        arguments: [
            ("RIAL_SITE_INDEX", "yes"), ("RIAL_SITE_INDEX", "2"), ("RIAL_SITE_EXAMPLE", "Ab3dE6gH"), ("RIAL_APP_STORE_URL", "nowhere"),
        ])
    func refused(name: String, value: String) {
        #expect(performing: { try Self.settings([name: value]) }, throws: { "\($0)".contains(name) })
    }

    private static func settings(_ variables: [String: String]) throws -> SiteSettings {
        try SiteSettings(ServiceEnvironment(variables), publicURL: publicURL, mediaEndpoint: nil)
    }
}
