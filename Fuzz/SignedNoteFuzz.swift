import TransparencyLog

/// libFuzzer's entry: the input as a note, as the text of a checkpoint, as lines of signatures, and as a key.
///
/// What is read is written again byte for byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignedNote(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    check {
        let note = try SignedNote(input)
        precondition(note.bytes == input, "another note")
        precondition(note.text.last == 0x0a && (1...SignedNote.maximumSignatures).contains(note.signatures.count), "no note")
        precondition((try? note.adding(note.signatures)) == note, "a signature twice")
        precondition((try? note.verified(by: [])) == [], "an unknown signature")
        if let checkpoint = try? Checkpoint(text: note.text) { precondition(checkpoint.text == note.text, "another checkpoint") }
    }
    check {
        let checkpoint = try Checkpoint(text: input)
        precondition(checkpoint.text == input, "another checkpoint")
        precondition(checkpoint.extensions.allSatisfy { !$0.bytes.contains(0x0a) }, "two lines in one")
    }
    check {
        let signatures = try NoteSignature.lines(input)
        precondition(signatures.flatMap(\.line) == input, "other signatures")
    }
    check {
        let key = try VerifierKey(input)
        precondition(key.description.utf8.elementsEqual(input) && key.name.isKeyName, "another key")
        // 64 zeros are a signature under a key of small order.
        let zeros = NoteSignature(key: key, signature: [UInt8](repeating: 0, count: key.kind == .log ? 64 : 72))
        precondition(zeros.verified(by: key, over: [0x0a]) == nil, "a signature of nobody")
    }
    check {
        let text = String(decoding: input, as: UTF8.self)
        let key = try SignerKey(text)
        precondition(key.text.utf8.elementsEqual(text.utf8), "another private key")
    }
    return 0
}

private func check(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        precondition(error is TransparencyLogError, "another error")
    }
}
