import CaptureProtocol
import Foundation

/// The site's strings, templates and assets, loaded and compiled once.
package struct SiteResources: Sendable {
    let css: String
    /// SHA-256 of ``css`` in base64, for the content security policy.
    package let cssDigest: String
    /// The script that stands in the page `/bundle`.
    let bundleScript: BundleScript
    let strings: SiteStrings
    private let tables: [Language: [CaptureType: StringTable]]
    private let compiled: [Language: [CaptureType: Templates]]
    /// The files by their paths relative to `/assets/`: "js/verify.js", "icon.svg".
    package let assets: [String: Asset]
    /// Changes when any script changes. It is a folder in their addresses, since modules import each other by relative addresses.
    package let scriptVersion: String

    package static func bundled() throws(SiteError) -> SiteResources {
        try SiteResources(folder: Bundle.module.bundleURL.appendingPathComponent("Resources"))
    }

    /// - Throws: ``SiteError`` for anything missing or malformed, including a string that templates use but the table lacks.
    init(folder: URL) throws(SiteError) {
        guard let css = try? Data(contentsOf: folder.appendingPathComponent("site.css")), let text = String(data: css, encoding: .utf8),
            !text.contains("</")
        else { throw SiteError(.resource, "site.css cannot be read, or cannot stand in a page") }
        self.css = text
        cssDigest = Base64.encode(ContentDigest(of: css).bytes)
        bundleScript = try BundleScript(folder: folder.appendingPathComponent("bundle"))
        guard let json = try? Data(contentsOf: folder.appendingPathComponent("strings.json")) else {
            throw SiteError(.resource, "strings.json cannot be read")
        }
        let strings = try SiteStrings(json: json)
        self.strings = strings
        var tables: [Language: [CaptureType: StringTable]] = [:]
        var compiled: [Language: [CaptureType: Templates]] = [:]
        for language in Language.allCases {
            for type in [CaptureType.photo, .video] {
                let table = strings.table(language, type)
                tables[language, default: [:]][type] = table
                compiled[language, default: [:]][type] = try Templates(
                    folder: folder.appendingPathComponent("templates"), strings: table)
            }
        }
        self.tables = tables
        self.compiled = compiled
        assets = try Self.assets(folder)
        scriptVersion = Self.version(assets.filter { $0.key.hasPrefix("js/") })
    }

    /// The type whose strings are used on pages that are not about a capture.
    private static let general = CaptureType.photo

    /// - Parameter type: of the page's capture; `nil` if it has none.
    func strings(_ language: Language, _ type: CaptureType?) -> StringTable {
        let type = type ?? Self.general
        return tables[language]?[type] ?? strings.table(language, type)
    }

    func strings(_ language: Language) -> StringTable { strings(language, nil) }

    /// - Throws: ``SiteError`` if there are none for this language and type.
    func templates(_ language: Language, _ type: CaptureType?) throws(SiteError) -> Templates {
        let type = type ?? Self.general
        guard let templates = compiled[language]?[type] else { throw SiteError(.template, "none for \(language) and \(type)") }
        return templates
    }

    /// The content security policy of pages that work from disk: what stands in the page, its icon, and nothing else.
    package var portablePolicy: String {
        "default-src 'none'; script-src 'sha256-\(bundleScript.digest)'; style-src 'sha256-\(cssDigest)'; img-src 'self'; "
            + "connect-src 'none'; form-action 'none'; base-uri 'none'"
    }

    /// The address of a script, which changes when any script does.
    func script(_ name: String) -> String { "/assets/\(scriptVersion)/js/\(name)" }

    private static func assets(_ folder: URL) throws(SiteError) -> [String: Asset] {
        var assets: [String: Asset] = [:]
        for (prefix, place) in [("", folder), ("js/", folder.appendingPathComponent("js")), ("img/", folder.appendingPathComponent("img"))]
        {
            guard let files = try? FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil) else {
                throw SiteError(.resource, "\(place.lastPathComponent) cannot be read")
            }
            for file in files {
                if let asset = try Asset(file) { assets[prefix + file.lastPathComponent] = asset }
            }
        }
        for name in ["icon.svg", "img/share.png", "js/verify.js", "js/file.js", "js/film.js"] where assets[name] == nil {
            throw SiteError(.resource, "\(name) is missing")
        }
        return assets
    }

    private static func version(_ scripts: [String: Asset]) -> String {
        let listed = scripts.sorted { $0.key < $1.key }.map { "\($0.key)\n\($0.value.digest.hex)\n" }.joined()
        return String(ContentDigest(of: Array(listed.utf8)).hex.prefix(12))
    }
}
