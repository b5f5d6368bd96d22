package import CaptureProtocol
package import Foundation

/// The operator's settings of the site.
package struct SiteSettings: Sendable {
    /// Without a trailing slash.
    package let publicURL: String
    /// Whether search engines may list records.
    package let listsRecords: Bool
    /// The record shown on the landing page; without it sample pictures are shown.
    package let example: CaptureID?
    /// The app's address in the App Store.
    package let appStore: String?
    /// Text of the policy that says which logs and witnesses the installation trusts (c2sp.org/tlog-policy).
    package let logPolicy: String?
    /// The origin of media links if it differs from the site's: scheme, host and port.
    package let mediaOrigin: String?

    /// - Parameters:
    ///   - publicURL: without a trailing slash.
    ///   - mediaEndpoint: the store's public address, if media links lead to the store.
    package init(
        publicURL: String, listsRecords: Bool = false, example: CaptureID? = nil, appStore: String? = nil, logPolicy: String? = nil,
        mediaEndpoint: URL? = nil
    ) {
        self.publicURL = publicURL
        self.listsRecords = listsRecords
        self.example = example
        self.appStore = appStore
        self.logPolicy = logPolicy
        mediaOrigin = mediaEndpoint.flatMap(Self.origin)
    }

    package var isSecure: Bool { publicURL.lowercased().hasPrefix("https://") }

    /// Scheme, host and port (RFC 6454 §4).
    private static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme, let host = url.host(percentEncoded: true) else { return nil }
        return url.port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
    }
}
