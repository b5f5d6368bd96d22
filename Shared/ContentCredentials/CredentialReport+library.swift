import Foundation
import Models

extension CredentialReport {
    static let maximumText = 1000
    static let maximumEntries = 100
    static let maximumData = 16 * 1024

    /// Reads what the library's reader writes; strings are cut at 1,000 characters, lists at 100 entries. Foreign manifests may leave out or
    /// mistype any field: such a field is passed over.
    init?(readerJSON: Data) {
        guard let root = try? JSONSerialization.jsonObject(with: readerJSON) as? [String: Any] else { return nil }
        let results = root["validation_results"] as? [String: Any]
        self.init(state: Self.state(root, results))
        validationCodes = Self.codes(results?["activeManifest"] as? [String: Any])
        activeManifest = Self.text(root["active_manifest"])
        guard let label = root["active_manifest"] as? String, let manifests = root["manifests"] as? [String: Any],
            let manifest = manifests[label] as? [String: Any]
        else { return }
        claimVersion = manifest["claim_version"] as? Int
        title = Self.text(manifest["title"])
        generator = Self.generator(manifest)
        ingredients = (manifest["ingredients"] as? [Any])?.count ?? 0
        if let signature = manifest["signature_info"] as? [String: Any] {
            issuer = Self.text(signature["issuer"])
            commonName = Self.text(signature["common_name"])
            certificateSerial = Self.text(signature["cert_serial_number"])
            algorithm = Self.text(signature["alg"])
            // "timeStamp.validated" alone is a time that anybody may have made up.
            let isStamped = validationCodes.contains { $0.kind == .success && $0.code == "timeStamp.trusted" }
            signedAt = isStamped ? Self.text(signature["time"]) : nil
        }
        assertions = (manifest["assertions"] as? [[String: Any]] ?? []).prefix(Self.maximumEntries).compactMap { entry in
            guard let label = Self.text(entry["label"]) else { return nil }
            return Assertion(label: label, isCreated: entry["created"] as? Bool ?? false, data: Self.data(entry["data"], of: label))
        }
    }

    /// The library calls trusted whom any of its lists vouches for; only ours counts here.
    private static func state(_ root: [String: Any], _ results: [String: Any]?) -> State {
        switch root["validation_state"] as? String {
        case "Trusted": results?["trustListUri"] as? String == LibraryContext.trustListName ? .trusted : .valid
        case "Valid": .valid
        case "Invalid": .invalid
        default: .unreadable
        }
    }

    private static func codes(_ statuses: [String: Any]?) -> [Code] {
        let kinds: [(String, Code.Kind)] = [("failure", .failure), ("informational", .informational), ("success", .success)]
        let all = kinds.flatMap { name, kind in
            (statuses?[name] as? [[String: Any]] ?? []).compactMap { entry in
                text(entry["code"]).map { Code(code: $0, kind: kind, url: text(entry["url"]), explanation: text(entry["explanation"])) }
            }
        }
        return Array(all.prefix(maximumEntries))
    }

    /// Claims of version 1 have one string, later ones a list of names and versions.
    private static func generator(_ manifest: [String: Any]) -> String? {
        if let whole = text(manifest["claim_generator"]) { return whole }
        guard let first = (manifest["claim_generator_info"] as? [[String: Any]])?.first, let name = text(first["name"]) else { return nil }
        return text(first["version"]).map { "\(name)/\($0)" } ?? name
    }

    private static func data(_ value: Any?, of label: String) -> String? {
        guard label.hasPrefix("app.rial."), let value, JSONSerialization.isValidJSONObject(value),
            let json = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]),
            json.count <= maximumData
        else { return nil }
        return String(decoding: json, as: UTF8.self)
    }

    private static func text(_ value: Any?) -> String? { (value as? String).map { $0.cut(to: maximumText) } }
}

extension String {
    /// At most so many Unicode scalars: one character may hold any number of them.
    func cut(to count: Int) -> String {
        guard utf8.count > count else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
    }
}
