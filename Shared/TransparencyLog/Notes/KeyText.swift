import CaptureProtocol

/// The parts of a key's text.
struct KeyText {
    static let maximumBytes = 1024

    let name: TextLine
    let id: KeyID
    let kind: KeyKind
    /// Without the kind.
    let material: [UInt8]

    init(_ text: some Sequence<UInt8>, prefix: String) throws(TransparencyLogError) {
        let malformed = TransparencyLogError(.malformedKey, "is not \(prefix)name+id+base64 of a known kind")
        let bytes = Array(text)
        guard bytes.count <= Self.maximumBytes, bytes.starts(with: prefix.utf8) else { throw malformed }
        // Base64 may have a plus: only the first two are separators.
        let parts = bytes.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let name = TextLine(bytes: parts[0]), parts[1].count == 8,
            let id = Hex.decode(String(decoding: parts[1], as: UTF8.self)).map(KeyID.init(firstOf:)),
            id.description.utf8.elementsEqual(parts[1]), let material = CanonicalBase64.decode(parts[2]), let first = material.first,
            let kind = KeyKind(rawValue: first)
        else { throw malformed }
        self.name = name
        self.id = id
        self.kind = kind
        self.material = Array(material.dropFirst())
    }
}
