/// A text with signatures (c2sp.org/signed-note). Nothing in it is trustworthy before ``verified(by:)``.
public struct SignedNote: Hashable, Sendable {
    /// The most bytes and signatures that are read, as in Go's sumdb/note.
    public static let maximumBytes = 1_000_000
    public static let maximumSignatures = 100

    /// Ends in LF; UTF-8 without other control characters.
    public let text: [UInt8]
    /// In the order of the note, unknown ones among them; at least one.
    public let signatures: [NoteSignature]

    /// Reads a note.
    /// - Throws: ``TransparencyLogError/Code/malformedNote``, ``TransparencyLogError/Code/malformedSignature``,
    ///   ``TransparencyLogError/Code/tooLong``.
    public init(_ bytes: [UInt8]) throws(TransparencyLogError) {
        guard bytes.count <= Self.maximumBytes else { throw TransparencyLogError(.tooLong, "a note has at most 1,000,000 bytes") }
        // The last empty line parts text and signatures; the text may have empty lines too.
        guard let end = Self.endOfText(bytes) else {
            throw TransparencyLogError(.malformedNote, "is not a text, an empty line and signatures")
        }
        guard let signatures = NoteSignature.all(in: bytes[(end + 1)...]) else {
            throw TransparencyLogError(.malformedSignature, "does not end in 1 to 100 lines of signatures")
        }
        try self.init(text: Array(bytes[..<end]), signatures: signatures)
    }

    /// - Throws: ``TransparencyLogError/Code/malformedNote`` if the text does not end in LF, is not UTF-8 or has control characters,
    ///   ``TransparencyLogError/Code/malformedSignature`` if there is no signature or there are more than are read,
    ///   ``TransparencyLogError/Code/tooLong``.
    public init(text: [UInt8], signatures: [NoteSignature]) throws(TransparencyLogError) {
        guard text.last == 0x0a, text.allSatisfy({ $0 >= 0x20 || $0 == 0x0a }), String(validating: text, as: UTF8.self) != nil else {
            throw TransparencyLogError(.malformedNote, "the text is not lines of UTF-8 without control characters")
        }
        guard (1...Self.maximumSignatures).contains(signatures.count), signatures.allSatisfy({ !$0.signature.isEmpty }) else {
            throw TransparencyLogError(.malformedSignature, "there are not 1 to 100 signatures")
        }
        self.text = text
        self.signatures = signatures
        guard bytes.count <= Self.maximumBytes else { throw TransparencyLogError(.tooLong, "a note has at most 1,000,000 bytes") }
    }

    /// What ``init(_:)`` reads.
    public var bytes: [UInt8] { text + [0x0a] + signatures.flatMap(\.line) }

    /// The note with further signatures; those that it has already are not added again.
    /// - Throws: as ``init(text:signatures:)``.
    public func adding(_ others: [NoteSignature]) throws(TransparencyLogError) -> SignedNote {
        let known = Set(signatures)
        return try SignedNote(text: text, signatures: signatures + others.filter { !known.contains($0) })
    }

    /// The note with the signatures of these keys alone, verified or not; `nil` if there are none.
    public func reduced(to keys: [VerifierKey]) -> SignedNote? {
        try? SignedNote(text: text, signatures: signatures.filter { signature in keys.contains { signature.isBy($0) } })
    }

    /// Verifies the signatures of known keys; those of others are left out (c2sp.org/signed-note, "Signatures").
    /// - Returns: in the order of the note; empty if no known key signed; the text must then not be trusted.
    /// - Throws: ``TransparencyLogError/Code/falseSignature`` if one of a known key does not verify.
    public func verified(by keys: [VerifierKey]) throws(TransparencyLogError) -> [VerifiedSignature] {
        var verified: [VerifiedSignature] = []
        for signature in signatures {
            guard let key = keys.first(where: { signature.isBy($0) }) else { continue }
            guard let found = signature.verified(by: key, over: text) else {
                throw TransparencyLogError(.falseSignature, "a signature by a known key does not verify")
            }
            verified.append(found)
        }
        return verified
    }

    /// Index of the empty line's LF.
    private static func endOfText(_ bytes: [UInt8]) -> Int? {
        var index = bytes.count - 1
        while index > 0 {
            if bytes[index] == 0x0a, bytes[index - 1] == 0x0a { return index }
            index -= 1
        }
        return nil
    }
}
