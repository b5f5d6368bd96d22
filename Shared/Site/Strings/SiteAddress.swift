import Foundation

/// Addresses of the site as text: what may stand in one, and where a reader may be sent back to.
package enum SiteAddress {
    /// Where a page changes its language: leads to `/language`, and from there back.
    package static func languageSwitch(to language: Language, back path: String) -> String {
        "/language?to=\(language.rawValue)&back=\(query(path))"
    }

    /// A path on this site, else the start page: no host, no scheme, nothing that a browser might read as one. Its `lang` is left out, as the
    /// choice is in the cookie now.
    package static func returnPath(_ back: String?) -> String {
        guard let back, back.utf8.count <= 2000, back.first == "/", back.utf8.allSatisfy(isOfPathOrQuery),
            !back.utf8.dropFirst().starts(with: "/".utf8)
        else { return "/" }
        let halves = back.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return back }
        let kept = halves[1].split(separator: "&").filter { $0 != "lang" && !$0.hasPrefix("lang=") }.joined(separator: "&")
        return kept.isEmpty ? String(halves[0]) : "\(halves[0])?\(kept)"
    }

    /// The address with its query, if that is of the same-site sort.
    package static func kept(_ path: String, _ query: String) -> String { query.utf8.allSatisfy(isOfPathOrQuery) ? path + query : path }

    /// RFC 3986 §3.3, §3.4, with "%" for what is encoded; no "\\", which browsers take for "/".
    private static func isOfPathOrQuery(_ unit: UInt8) -> Bool {
        switch unit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=:@/?%".utf8.contains(unit)
        }
    }

    /// For the inside of a query's value (RFC 3986 §2.3: only what is unreserved stays).
    static func query(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "/"
    }
}
