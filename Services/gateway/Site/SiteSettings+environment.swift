import CaptureProtocol
import Foundation
import ServiceRuntime
import Site

extension SiteSettings {
    /// Reads `RIAL_SITE_INDEX`, `RIAL_SITE_EXAMPLE` (a capture's id), `RIAL_APP_STORE_URL` and `RIAL_LOG_POLICY`.
    /// - Parameters:
    ///   - publicURL: without a trailing slash.
    ///   - mediaEndpoint: `RIAL_S3_PUBLIC_ENDPOINT`.
    init(_ environment: ServiceEnvironment, publicURL: String, mediaEndpoint: URL?) throws {
        self.init(
            publicURL: publicURL, listsRecords: try environment.integer("RIAL_SITE_INDEX", default: 0, in: 0...1) == 1,
            example: try environment.optional("RIAL_SITE_EXAMPLE").map { text in
                guard let id = CaptureID(text) else {
                    throw SettingsError("RIAL_SITE_EXAMPLE", "must be the id of a capture, not “\(text)”")
                }
                return id
            },
            appStore: try environment.url("RIAL_APP_STORE_URL")?.absoluteString,
            logPolicy: try environment.policy("RIAL_LOG_POLICY"), mediaEndpoint: mediaEndpoint)
    }
}
