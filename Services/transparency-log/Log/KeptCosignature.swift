import TransparencyLog

/// A cosignature of our checkpoint that verified.
struct KeptCosignature: Sendable, Equatable {
    let signature: NoteSignature
    /// POSIX time.
    let seconds: UInt64

    init(signature: NoteSignature, seconds: UInt64) {
        self.signature = signature
        self.seconds = seconds
    }

    /// Whether it names this key as its own.
    func isBy(_ key: VerifierKey) -> Bool { signature.name == key.name && signature.id == key.id }

    /// One that was kept, from its line without LF; `nil` if that is not the line of a signature with a time.
    init?(line: String) {
        guard let signature = try? NoteSignature.lines(Array("\(line)\n".utf8)).first, signature.signature.count == 72 else { return nil }
        self.init(signature: signature, seconds: signature.signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The line without LF.
    var line: String { String(decoding: signature.line.dropLast(), as: UTF8.self) }
}
