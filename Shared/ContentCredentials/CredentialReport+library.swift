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
        self.init(state: Self.state(root))
        if state == .trusted {
            let name = results?["trustListUri"] as? String
            voucher = LibraryContext.voucherNames.first { $0.value == name }?.key
            // The library calls trusted whom any of its lists vouches for; a list of other things counts for nothing here.
            if voucher == nil { state = .valid }
        }
        validationCodes = Self.codes(results, ingredients: [])
        activeManifest = Self.text(root["active_manifest"])
        guard let label = root["active_manifest"] as? String, let manifests = root["manifests"] as? [String: Any],
            let manifest = manifests[label] as? [String: Any]
        else { return }
        claimVersion = manifest["claim_version"] as? Int
        title = Self.text(manifest["title"])
        generator = Self.generator(manifest)
        let parts = manifest["ingredients"] as? [Any] ?? []
        ingredients = parts.count
        validationCodes = Self.codes(results, ingredients: parts)
        if let signature = manifest["signature_info"] as? [String: Any] {
            issuer = Self.text(signature["issuer"])
            commonName = Self.text(signature["common_name"])
            certificateSerial = Self.text(signature["cert_serial_number"])
            algorithm = Self.text(signature["alg"])
            // "timeStamp.validated" alone is a time that anybody may have made up. For claims of version 1 the library says "trusted"
            // without asking who made it (0.91.3, measured), so that there it says no more.
            if Self.isTimeTrusted(validationCodes), (claimVersion ?? 1) > 1 { signedAt = Self.text(signature["time"]) }
        }
        if signedAt == nil { dropTime() }
        assertions = (manifest["assertions"] as? [[String: Any]] ?? []).prefix(Self.maximumEntries).compactMap { entry in
            guard let label = Self.text(entry["label"]) else { return nil }
            return Assertion(label: label, isCreated: entry["created"] as? Bool ?? false, data: Self.data(entry["data"], of: label))
        }
    }

    private static let timeTrusted = "timeStamp.trusted"

    private static func isTimeTrusted(_ codes: [Code]) -> Bool { codes.contains { $0.kind == .success && $0.code == timeTrusted } }

    /// Nobody whom we know vouches for the time of the signature: neither the time nor the word of the library for it is repeated.
    mutating func dropTime() {
        signedAt = nil
        validationCodes.removeAll { $0.kind == .success && $0.code == Self.timeTrusted }
    }

    private static func state(_ root: [String: Any]) -> State {
        switch root["validation_state"] as? String {
        case "Trusted": .trusted
        case "Valid": .valid
        case "Invalid": .invalid
        default: .unreadable
        }
    }

    /// Of the active manifest all, of what the file was made from the failures; failures come first, those of the file itself before others,
    /// so that the bound cuts off what matters least.
    private static func codes(_ results: [String: Any]?, ingredients: [Any]) -> [Code] {
        let own = results?["activeManifest"] as? [String: Any]
        let deltas = results?["ingredientDeltas"] as? [[String: Any]] ?? []
        // What is found now, then what the signer had found when it took them.
        let found = deltas.prefix(maximumEntries).flatMap { delta in
            codes(delta["validationDeltas"] as? [String: Any], .failure, url: text(delta["ingredientAssertionURI"]), ingredient: true)
        }
        let known = ingredients.prefix(maximumEntries).flatMap { ingredient -> [Code] in
            guard let ingredient = ingredient as? [String: Any] else { return [] }
            let results = (ingredient["validation_results"] as? [String: Any])?["activeManifest"] as? [String: Any]
            return codes(results ?? ["failure": ingredient["validation_status"] ?? []], .failure, ingredient: true)
        }
        let all = codes(own, .failure) + found + known + codes(own, .informational) + codes(own, .success)
        return Array(all.prefix(maximumEntries))
    }

    /// - Parameter url: for codes that have none of their own.
    private static func codes(_ statuses: [String: Any]?, _ kind: Code.Kind, url: String? = nil, ingredient: Bool? = nil) -> [Code] {
        (statuses?[kind.rawValue] as? [[String: Any]] ?? []).prefix(maximumEntries).compactMap { entry in
            guard let code = text(entry["code"]) else { return nil }
            return Code(
                code: code, kind: kind, url: text(entry["url"]) ?? url, explanation: text(entry["explanation"]), ingredient: ingredient)
        }
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
