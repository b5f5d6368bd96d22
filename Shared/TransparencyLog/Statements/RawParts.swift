public import CaptureProtocol

/// What a device sent for a capture, as digests that the public form never shows (SPEC §14 "Linkability"): its statement commits to them,
/// and the owner's bundle opens them.
public struct RawParts: Sendable, Equatable {
    /// A part as the device sent it, or what it registered with.
    public enum Name: String, Sendable, CaseIterable {
        case photo, video, depth
        case hashChain = "hash_chain"
        case metadata, payload, assertion, attestation
    }

    public let digests: [Name: ContentDigest]
    public let salt: Salt

    public init(digests: [Name: ContentDigest], salt: Salt) {
        self.digests = digests
        self.salt = salt
    }

    /// `raw` of the statement: SHA-256("rial.raw/1\n" ‖ salt ‖ a line `{name} {sha256}` for each part, sorted by name).
    public var digest: ContentDigest {
        let names = digests.keys.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        let lines = names.flatMap { name in Array("\(name.rawValue) \(digests[name]?.hex ?? "")\n".utf8) }
        return ContentDigest(of: Array("rial.raw/1\n".utf8) + salt.bytes + lines)
    }

    /// `owner/raw.json`: `{"digests":{name:hex},"salt":hex}` in the form of RFC 8785.
    public var json: [UInt8] {
        let members = digests.map { ($0.key.rawValue, CanonicalJSON.string($0.value.hex)) }
        return CanonicalJSON.object([
            "digests": .object(Dictionary(members) { first, _ in first }), "salt": .string(Hex.encode(salt.bytes)),
        ]).encoded
    }

    /// Reads `owner/raw.json`.
    /// - Throws: ``BundleError`` for any other form, and for names of parts that there are not.
    public init(json: [UInt8]) throws(BundleError) {
        var members = StatementMembers(try CanonicalJSON(json), code: .content)
        let salt = try members.hex("salt", Salt.init(bytes:))
        var digests: [Name: ContentDigest] = [:]
        for (name, text) in try members.strings("digests") {
            guard let name = Name(rawValue: name), let digest = ContentDigest(lowerCaseHex: text) else { throw members.wrong("digests") }
            digests[name] = digest
        }
        try members.end()
        self.init(digests: digests, salt: salt)
    }
}
