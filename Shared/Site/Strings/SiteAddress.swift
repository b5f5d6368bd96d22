import Foundation

/// Builds and validates addresses of the site: which characters they may have, and which are valid redirect targets.
package enum SiteAddress {
    /// The address of the language switch: `/language`, which redirects back to the page.
    package static func languageSwitch(to language: Language, back path: String) -> String {
        "/language?to=\(language.rawValue)&back=\(query(path))"
    }

    /// A safe redirect target: a path on this site, else the start page; no host, no scheme, nothing that a browser might interpret as one.
    /// Its `lang` parameter is removed, since the choice is now in the cookie.
    package static func returnPath(_ back: String?) -> String {
        guard let back, back.utf8.count <= 2000, back.first == "/", back.utf8.allSatisfy(isOfPathOrQuery),
            !back.utf8.dropFirst().starts(with: "/".utf8)
        else { return "/" }
        let halves = back.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return back }
        let kept = halves[1].split(separator: "&").filter { $0 != "lang" && !$0.hasPrefix("lang=") }.joined(separator: "&")
        return kept.isEmpty ? String(halves[0]) : "\(halves[0])?\(kept)"
    }

    /// The address with its query if the query has only allowed characters; else without it.
    package static func kept(_ path: String, _ query: String) -> String { query.utf8.allSatisfy(isOfPathOrQuery) ? path + query : path }

    /// RFC 3986 §3.3, §3.4, with "%" for encoded characters; no "\\", which browsers interpret as "/".
    private static func isOfPathOrQuery(_ unit: UInt8) -> Bool {
        switch unit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(unit)
        }
    }

    /// Encodes a value inside a query (RFC 3986 §2.3: only unreserved characters are kept).
    static func query(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "/"
    }
}
