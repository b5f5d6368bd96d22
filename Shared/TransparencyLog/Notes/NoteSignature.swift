import CaptureProtocol

/// One signature line of a note, of whatever kind.
public struct NoteSignature: Hashable, Sendable {
    /// Name of the key.
    public let name: TextLine
    /// Id of the key.
    public let id: KeyID
    /// At least one byte; for a witness's key the time comes first.
    public let signature: [UInt8]

    /// A signature that was made elsewhere, as by a PKCS#11 token.
    /// - Parameter signature: 64 bytes of Ed25519 over the text for a log's key.
    public init(key: VerifierKey, signature: [UInt8]) {
        name = key.name
        id = key.id
        self.signature = signature
    }

    /// Reads a line without its LF; `nil` for any other form.
    init?(line: some Collection<UInt8>) {
        guard line.starts(with: Self.dash) else { return nil }
        let parts = line.dropFirst(Self.dash.count).split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = TextLine(bytes: parts[0]), name.isKeyName, let blob = CanonicalBase64.decode(parts[1]),
            blob.count > 4
        else { return nil }
        self.name = name
        id = KeyID(firstOf: blob)
        signature = Array(blob.dropFirst(4))
    }

    /// The signature's line in a note, with its LF.
    public var line: [UInt8] { Self.dash + name.bytes + [0x20] + Array(Base64.encode(id.bytes + signature).utf8) + [0x0a] }

    /// Reads lines as a witness answers them.
    /// - Throws: ``TransparencyLogError/Code/malformedRequest`` if there is none, more than a note has, or anything else between them.
    public static func lines(_ bytes: [UInt8]) throws(TransparencyLogError) -> [NoteSignature] {
        guard let signatures = all(in: bytes[...]) else { throw TransparencyLogError(.malformedRequest, "is not lines of signatures") }
        return signatures
    }

    /// `nil` if a line is none, or if there are none or too many.
    static func all(in bytes: ArraySlice<UInt8>) -> [NoteSignature]? {
        guard bytes.count <= SignedNote.maximumBytes else { return nil }
        var reader = LineReader(bytes)
        var signatures: [NoteSignature] = []
        while let line = reader.next() {
            guard signatures.count < SignedNote.maximumSignatures, let signature = NoteSignature(line: line) else { return nil }
            signatures.append(signature)
        }
        return reader.rest.isEmpty && !signatures.isEmpty ? signatures : nil
    }

    func isBy(_ key: VerifierKey) -> Bool { name == key.name && id == key.id }

    /// Verifies it; `nil` unless it is by this key and over this text.
    public func verified(by key: VerifierKey, over text: [UInt8]) -> VerifiedSignature? {
        guard isBy(key) else { return nil }
        switch key.kind {
        case .log:
            guard key.isSignature(signature, over: text) else { return nil }
            return VerifiedSignature(key: key, seconds: nil)
        case .witness:
            guard let cosignature = Cosignature(signature),
                key.isSignature(cosignature.signature, over: Cosignature.message(text, at: cosignature.seconds))
            else { return nil }
            return VerifiedSignature(key: key, seconds: cosignature.seconds)
        }
    }

    /// "— ".
    private static let dash: [UInt8] = [0xe2, 0x80, 0x94, 0x20]
}
