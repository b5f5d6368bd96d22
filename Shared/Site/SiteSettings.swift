package import CaptureProtocol
package import Foundation

/// What an operator decides about the site.
package struct SiteSettings: Sendable {
    /// Without a slash at the end.
    package let publicURL: String
    /// Whether search engines may list records.
    package let listsRecords: Bool
    /// The record that the landing page shows; without it sample pictures are shown.
    package let example: CaptureID?
    /// Where the app is to be had.
    package let appStore: String?
    /// Where media links lead, if not here: scheme, host and port.
    package let mediaOrigin: String?

    /// - Parameters:
    ///   - publicURL: without a slash at the end.
    ///   - mediaEndpoint: the store's public address, if readers are sent there.
    package init(
        publicURL: String, listsRecords: Bool = false, example: CaptureID? = nil, appStore: String? = nil, mediaEndpoint: URL? = nil
    ) {
        self.publicURL = publicURL
        self.listsRecords = listsRecords
        self.example = example
        self.appStore = appStore
        mediaOrigin = mediaEndpoint.flatMap(Self.origin)
    }

    package var isSecure: Bool { publicURL.lowercased().hasPrefix("https://") }

    /// Scheme, host and port (RFC 6454 §4).
    private static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme, let host = url.host(percentEncoded: true) else { return nil }
        return url.port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
    }
}
