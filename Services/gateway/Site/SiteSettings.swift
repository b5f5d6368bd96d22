import CaptureProtocol
import Foundation
import ServiceRuntime

/// What an operator decides about the site.
struct SiteSettings: Sendable {
    /// Without a slash at the end.
    let publicURL: String
    /// Whether search engines may list verification pages (`RIAL_SITE_INDEX=1`).
    let listsRecords: Bool
    /// The record that the landing page shows (`RIAL_SITE_EXAMPLE`, a capture's id); without it sample pictures are shown.
    let example: CaptureID?
    /// Where the app is to be had (`RIAL_APP_STORE_URL`).
    let appStore: String?
    /// Where media links lead, if not here.
    let mediaOrigin: String?

    /// - Parameters:
    ///   - publicURL: without a slash at the end.
    ///   - mediaEndpoint: `RIAL_S3_PUBLIC_ENDPOINT`.
    init(_ environment: ServiceEnvironment, publicURL: String, mediaEndpoint: URL?) throws {
        self.publicURL = publicURL
        listsRecords = try environment.integer("RIAL_SITE_INDEX", default: 0, in: 0...1) == 1
        example = try environment.optional("RIAL_SITE_EXAMPLE").map { text in
            guard let id = CaptureID(text) else { throw SettingsError("RIAL_SITE_EXAMPLE", "must be the id of a capture, not “\(text)”") }
            return id
        }
        appStore = try environment.url("RIAL_APP_STORE_URL")?.absoluteString
        mediaOrigin = mediaEndpoint.flatMap(Self.origin)
    }

    init(publicURL: String, listsRecords: Bool = false, example: CaptureID? = nil, appStore: String? = nil, mediaEndpoint: URL? = nil) {
        self.publicURL = publicURL
        self.listsRecords = listsRecords
        self.example = example
        self.appStore = appStore
        mediaOrigin = mediaEndpoint.flatMap(Self.origin)
    }

    var isSecure: Bool { publicURL.lowercased().hasPrefix("https://") }

    /// Scheme, host and port (RFC 6454 §4).
    private static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme, let host = url.host(percentEncoded: true) else { return nil }
        return url.port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
    }
}
