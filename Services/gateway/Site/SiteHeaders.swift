import HTTPTypes
import Hummingbird
import Site

/// The headers of all pages of the site.
struct SiteHeaders: Sendable {
    let settings: SiteSettings
    let cssDigest: String
    /// The content security policy of pages that also work when they are saved to disk.
    let portablePolicy: String

    /// - Parameters:
    ///   - showsLocalFiles: whether the page previews a file that the reader chose (`blob:`).
    ///   - isPortable: whether it works when it was saved to disk.
    func page(_ language: Language, isIndexed: Bool, showsLocalFiles: Bool, isPortable: Bool = false) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue, .cacheControl: "no-cache",
            .vary: "Accept-Encoding, Accept-Language, Cookie",
            .contentSecurityPolicy: isPortable
                ? "\(portablePolicy); frame-ancestors 'none'" : policy(showsLocalFiles: showsLocalFiles),
            .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer", .crossOriginOpenerPolicy: "same-origin",
            .crossOriginResourcePolicy: "same-origin",
            .permissionsPolicy: "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
                + "magnetometer=(), microphone=(), payment=(), usb=()",
        ]
        if !isIndexed { fields[.robotsTag] = "noindex" }
        if settings.isSecure { fields[.strictTransportSecurity] = "max-age=31536000" }
        return fields
    }

    /// Content Security Policy Level 3.
    func policy(showsLocalFiles: Bool) -> String {
        let pictures = ["'self'", settings.mediaOrigin, showsLocalFiles ? "blob:" : nil].compactMap { $0 }.joined(separator: " ")
        return "default-src 'none'; script-src 'self'; style-src 'sha256-\(cssDigest)'; img-src \(pictures); "
            + "media-src \(pictures); connect-src 'self'; "
            + "worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    }
}
