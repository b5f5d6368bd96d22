import CaptureProtocol
import Testing

@testable import TransparencyLog

@Suite("Signed notes")
struct SignedNoteTests {
    private let text = Array("origin\n7\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n".utf8)

    private struct Notes: Decodable {
        struct Good: Decodable {
            let name: String
            let note: String
            let keys: [String]
            /// Index of each key that signed, with the time of a cosignature.
            let want: [String: UInt64?]
        }

        struct Bad: Decodable {
            let name: String
            let note: String
        }

        let good: [Good]
        let bad_notes: [Bad]
        let good_keys: [String]
        let bad_keys: [String]
    }

    @Test("of other implementations verify", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func good() throws {
        let vectors = try Vectors.json("notes.json", as: Notes.self).good
        #expect(vectors.count == 11)
        for vector in vectors {
            let note = try SignedNote(Array(vector.note.utf8))
            #expect(note.bytes.elementsEqual(vector.note.utf8))
            let keys = try vector.keys.map { try VerifierKey($0) }
            let verified = try note.verified(by: keys)
            let expected = Set(
                try vector.want.map { index, seconds in
                    VerifiedSignature(key: keys[try #require(Int(index))], seconds: seconds)
                })
            #expect(Set(verified) == expected, "\(vector.name)")
        }
    }

    @Test("of a false form are refused", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func bad() throws {
        let vectors = try Vectors.json("notes.json", as: Notes.self).bad_notes
        #expect(vectors.count == 7)
        for vector in vectors { #expect(isRefused(vector.note), "\(vector.name)") }
    }

    @Test("have keys of one spelling", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func keys() throws {
        let vectors = try Vectors.json("notes.json", as: Notes.self)
        #expect(vectors.good_keys.count == 8 && vectors.bad_keys.count == 8)
        for key in vectors.good_keys { #expect(try VerifierKey(key).description == key) }
        for key in vectors.bad_keys { #expect(refusal { _ = try VerifierKey(key) } == .malformedKey, "\(key)") }
    }

    @Test(
        "have no other form",
        arguments: [
            "", "\n", "\n\n", "text", "text\n", "text\n\n", "text\n\nSIG", "text\nSIG\n", "text\r\n\r\nSIG\n", "te\txt\n\nSIG\n",
            "text\n\nSIG\n\n",
            "text\n\n SIG\n", "text\n\nSIG \n", "text\n\n— na+me AAAAAAA=\n", "text\n\n— na\u{a0}me AAAAAAA=\n",
            "text\n\n— na\u{3000}me AAAAAAA=\n",
            "text\n\n—  AAAAAAA=\n", "text\n\n— name AAAAAA==\n", "text\n\n— name AAAAAAB=\n", "text\n\n— name AAAAAAA\n",
            "text\n\n— name  AAAAAAA=\n",
            "text\n\n- name AAAAAAA=\n", "text\n\n— name AAAAAAA=\r\n", "text\n\n—name AAAAAAA=\n", "text\n\n— name AAAA-_A=\n",
            "text\n\n— name \n",
        ])
    func otherForms(form: String) {
        let note = form.replacing("SIG", with: "— name AAAAAAA=")
        #expect(isRefused(note))
    }

    @Test("say what is malformed")
    func parts() throws {
        let end = "\n\n— name AAAAAAA=\n"
        let codes = ["text", "te\txt\(end)", "text\(end)x\n", "text\n\n"].map { text in refusal { _ = try SignedNote(Array(text.utf8)) } }
        #expect(codes == [.malformedNote, .malformedNote, .malformedSignature, .malformedSignature])
        let signatures = try SignedNote(Array("text\(end)".utf8)).signatures
        #expect(refusal { _ = try SignedNote(text: text, signatures: []) } == .malformedSignature)
        #expect(refusal { _ = try SignedNote(text: text, signatures: Array(repeating: signatures[0], count: 101)) } == .malformedSignature)
        #expect(refusal { _ = try SignedNote(text: text.dropLast(), signatures: signatures) } == .malformedNote)
    }

    private func isRefused(_ note: String) -> Bool {
        let code = refusal { _ = try SignedNote(Array(note.utf8)) }
        return code == .malformedNote || code == .malformedSignature
    }

    @Test("may have empty lines in the text, and names beyond ASCII")
    func emptyLines() throws {
        for text in ["\n", "\n\n", "text\n\n", "a\n\nb\n", "é\n"] {
            let bytes = Array("\(text)\n— n\u{e4}me AAAAAAA=\n".utf8)
            let note = try SignedNote(bytes)
            #expect(note.text.elementsEqual(text.utf8) && note.bytes == bytes)
            #expect(try SignedNote(text: note.text, signatures: note.signatures) == note)
        }
        #expect(refusal { _ = try SignedNote([0xff, 0x0a, 0x0a] + Array("— name AAAAAAA=\n".utf8)) } == .malformedNote)
    }

    @Test("are read up to a million bytes")
    func length() throws {
        let end = Array("\n\n— name AAAAAAA=\n".utf8)
        let longest = Array(repeating: UInt8(ascii: "x"), count: SignedNote.maximumBytes - end.count) + end
        #expect(try SignedNote(longest).bytes == longest)
        #expect(refusal { _ = try SignedNote([0x78] + longest) } == .tooLong)
    }

    @Test("tell two spellings of a name apart")
    func spellings() throws {
        let key = try signer("n\u{e4}me", .log).verifier
        let other = try signer("na\u{308}me", .log, seed: "n\u{e4}me").verifier
        #expect(key.name.text == other.name.text && key.name != other.name && key.id != other.id)
        #expect(TextLine("") == nil && TextLine("a\nb") == nil && TextLine(bytes: [0xff]) == nil)
    }

    @Test("are verified by known keys, one false signature spoils them, unknown ones do not")
    func verification() throws {
        let log = try signer("log.example", .log)
        let witness = try signer("witness.example")
        let stranger = try signer("stranger.example", .log)
        let signed = try SignedNote(text: text, signatures: [try log.sign(text)])
        let note = try signed.adding([try witness.cosign(text, at: 1_793_534_405), try stranger.sign(text)])
        let keys = [log.verifier, witness.verifier]
        #expect(
            try note.verified(by: keys) == [
                VerifiedSignature(key: log.verifier, seconds: nil), VerifiedSignature(key: witness.verifier, seconds: 1_793_534_405),
            ])
        #expect(try note.verified(by: []).isEmpty)
        #expect(note.reduced(to: [log.verifier]) == signed)
        #expect(note.reduced(to: [try signer("nobody.example").verifier]) == nil)
        #expect(try SignedNote(note.bytes) == note)
        // The same key under another kind, or another key under the same name, is unknown.
        let sameKey = try signer("log.example", .witness, seed: "log.example").verifier
        let sameName = try signer("log.example", .log, seed: "other").verifier
        #expect(try note.verified(by: [sameKey, sameName]).isEmpty)
        for signature in note.signatures.prefix(2) {
            for bit in [0, 9, 100, 511] {
                var blob = signature.signature
                blob[bit / 8] ^= 1 << (bit % 8)
                let key = signature.name == log.verifier.name ? log.verifier : witness.verifier
                let spoilt = try note.adding([NoteSignature(key: key, signature: blob)])
                #expect(refusal { _ = try spoilt.verified(by: keys) } == .falseSignature)
                #expect(try spoilt.verified(by: [stranger.verifier]).count == 1)
            }
            let short = try note.adding([NoteSignature(key: witness.verifier, signature: Array(signature.signature.dropLast()))])
            #expect(refusal { _ = try short.verified(by: keys) } == .falseSignature)
        }
        let other = try SignedNote(text: text + [0x21, 0x0a], signatures: note.signatures)
        #expect(refusal { _ = try other.verified(by: keys) } == .falseSignature)
    }

    @Test("are cosigned with times up to 2^63 − 1")
    func times() throws {
        let witness = try signer("witness.example")
        for seconds in [0, 1, UInt64(Int64.max)] {
            let signature = try witness.cosign(text, at: seconds)
            #expect(signature.verified(by: witness.verifier, over: text)?.seconds == seconds)
            #expect(try NoteSignature.lines(signature.line) == [signature])
        }
        #expect(refusal { _ = try witness.cosign(text, at: 1 << 63) } == .outOfRange)
        var late = try witness.cosign(text, at: 0).signature
        late[0] = 0x80
        #expect(NoteSignature(key: witness.verifier, signature: late).verified(by: witness.verifier, over: text) == nil)
        #expect(refusal { _ = try witness.sign(text) } == .wrongKey)
        #expect(refusal { _ = try signer("log.example", .log).cosign(text, at: 0) } == .wrongKey)
    }

    @Test("have private keys of one spelling")
    func privateKeys() throws {
        let key = try signer("log.example", .log)
        #expect(try SignerKey(key.text).verifier == key.verifier)
        #expect(key.text.hasPrefix("PRIVATE+KEY+log.example+\(key.verifier.id)+A"))
        for text in [key.verifier.description, String(key.text.dropLast(4)), key.text.replacing("log.example", with: "log2.example"), ""] {
            #expect(refusal { _ = try SignerKey(text) } == .malformedKey)
        }
        let name = try #require(TextLine("log.example"))
        #expect(refusal { _ = try SignerKey(name: name, kind: .log, seed: [1]) } == .malformedKey)
    }
}
