import Foundation
import Models

extension CredentialReport {
    static let maximumText = 1000
    static let maximumEntries = 100
    static let maximumData = 16 * 1024

    /// Reads the JSON of the library's reader. Strings are cut at 1,000 characters, lists at 100 entries. Fields may be missing or have any
    /// type, since manifests are untrusted: such fields are ignored.
    ///
    /// - Parameters:
    ///   - now: decides on certificates whose time stamp nobody vouches for.
    ///   - signerDates: those of the certificate that signed the manifest of a label; asked only if they decide.
    init?(readerJSON: Data, at now: Date, signerDates: (_ label: String) -> CertificateDates? = { _ in nil }) {
        guard let root = try? JSONSerialization.jsonObject(with: readerJSON) as? [String: Any] else { return nil }
        let results = root["validation_results"] as? [String: Any]
        self.init(state: Self.state(root))
        if state == .trusted {
            let name = results?["trustListUri"] as? String
            voucher = LibraryContext.voucherNames.first { $0.value == name }?.key
            // The library reports "trusted" if any of its lists vouches for the signer; only the two lists of signers count here.
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
        if let signature = manifest["signature_info"] as? [String: Any] {
            issuer = Self.text(signature["issuer"])
            commonName = Self.text(signature["common_name"])
            certificateSerial = Self.text(signature["cert_serial_number"])
            algorithm = Self.text(signature["alg"])
            // "timeStamp.validated" alone does not say who made the time stamp. For claims of version 1 the library reports "trusted"
            // without checking that, and judges the certificate by that time (measured with 0.91.3): so their times are ignored.
            let isTimeTrusted = Self.isTimeTrusted(results)
            if (claimVersion ?? 1) > 1 {
                if isTimeTrusted { signedAt = Self.text(signature["time"]) }
            } else if isSound, isTimeTrusted || signature["time"] != nil {
                validate(signerDates(label), at: now)
            }
        }
        // What the signer recorded of the ingredients is the manifest's content: in any other state it could be anybody's text.
        if isSound { validationCodes = Self.codes(results, ingredients: parts) }
        if signedAt == nil { dropTime() }
        assertions = (manifest["assertions"] as? [[String: Any]] ?? []).prefix(Self.maximumEntries).compactMap { entry in
            guard let label = Self.text(entry["label"]) else { return nil }
            return Assertion(label: label, isCreated: entry["created"] as? Bool ?? false, data: Self.data(entry["data"], of: label))
        }
    }

    private var isSound: Bool { state == .trusted || state == .valid }

    private static let timeTrusted = "timeStamp.trusted"

    /// Looks at all codes, of which the report may have cut off some.
    private static func isTimeTrusted(_ results: [String: Any]?) -> Bool {
        let own = results?["activeManifest"] as? [String: Any]
        return (own?[Code.Kind.success.rawValue] as? [[String: Any]] ?? []).contains { $0["code"] as? String == timeTrusted }
    }

    /// Removes the time of the signature, and the library's code that it is trusted: no known authority vouches for it.
    mutating func dropTime() {
        signedAt = nil
        validationCodes.removeAll { $0.kind == .success && $0.code == Self.timeTrusted }
    }

    /// Decides by the present time about a certificate that the library found valid at a time for which nobody vouches.
    /// - Parameter dates: `nil` if they cannot be read: then nobody vouches for the signer either.
    private mutating func validate(_ dates: CertificateDates?, at now: Date) {
        guard dates?.include(now) != true else { return }
        voucher = nil
        guard dates != nil else {
            state = .valid
            return
        }
        state = .invalid
        let expired = Code(code: "signingCredential.expired", kind: .failure, explanation: "certificate expired")
        validationCodes = Array(([expired] + validationCodes).prefix(Self.maximumEntries))
    }

    /// Takes over what the library says of the file without the time for which nobody vouches.
    mutating func adopt(_ timeless: CredentialReport) {
        guard isSound else { return }
        switch timeless.state {
        case .trusted, .valid: return
        case .invalid:
            // Without the time the certificate has run out.
            state = .invalid
            validationCodes = timeless.validationCodes
        case .unreadable, .remote, .none: state = .valid
        }
        voucher = nil
    }

    private static func state(_ root: [String: Any]) -> State {
        switch root["validation_state"] as? String {
        case "Trusted": .trusted
        case "Valid": .valid
        case "Invalid": .invalid
        default: .unreadable
        }
    }

    /// All codes of the active manifest, and the failures of its ingredients. Failures come first, the file's own before the ingredients',
    /// so that the bound cuts off the least important.
    private static func codes(_ results: [String: Any]?, ingredients: [Any]) -> [Code] {
        let own = results?["activeManifest"] as? [String: Any]
        let deltas = results?["ingredientDeltas"] as? [[String: Any]] ?? []
        // The failures found now, then those that the signer recorded.
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

    /// Only what has the form of a code.
    /// - Parameter url: for codes without one.
    private static func codes(_ statuses: [String: Any]?, _ kind: Code.Kind, url: String? = nil, ingredient: Bool? = nil) -> [Code] {
        (statuses?[kind.rawValue] as? [[String: Any]] ?? []).prefix(maximumEntries).compactMap { entry in
            guard let code = entry["code"] as? String, isCode(code) else { return nil }
            return Code(
                code: code, kind: kind, url: text(entry["url"]) ?? url, explanation: text(entry["explanation"]), ingredient: ingredient)
        }
    }

    private static func isCode(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Claims of version 1 have a string, later ones a list of names and versions.
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
    /// Truncated to `count` Unicode scalars, since a single character may have any number of them.
    func cut(to count: Int) -> String {
        guard utf8.count > count else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
    }
}
