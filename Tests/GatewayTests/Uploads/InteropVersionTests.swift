import HTTPTypes
import Testing

@testable import Gateway

@Suite("Interop versions of resumable uploads")
struct InteropVersionTests {
    @Test("3 to 8 are spoken, and none counts as 8; what else a request names is unknown")
    func parsed() {
        for number in 3...8 { #expect(InteropVersion(field: "\(number)")?.rawValue == number) }
        #expect(InteropVersion(field: nil) == .eight)
        #expect(InteropVersion(field: "6;draft=4") == .six)
        for text in ["", "2", "9", "-3", "6.0", "six", "3, 3", "0x6", "99999999999999999999"] {
            #expect(InteropVersion(field: text) == nil, "\(text)")
        }
    }

    /// Draft -01 has `Upload-Incomplete`, later ones its inverse.
    @Test("completeness is said as each draft spells it", arguments: InteropVersion.allCases)
    func completeness(version: InteropVersion) {
        let name = version == .three ? "Upload-Incomplete" : "Upload-Complete"
        #expect(version.completenessName.rawName == name)
        #expect(version.completeness(true) == (version == .three ? "?0" : "?1"))
        for isComplete in [true, false] { #expect(version.isComplete(version.completeness(isComplete)) == isComplete) }
        for text in ["", "1", "true", "?2", "? 1", "?1, ?1"] { #expect(version.isComplete(text) == nil, "\(text)") }
    }

    @Test("limits are named as each draft does: `expires` in -04 and -05, `max-age` after that")
    func limits() {
        #expect(InteropVersion.six.limit(maximumBytes: 5, seconds: 7) == "max-size=5, expires=7")
        for version in [InteropVersion.seven, .eight] { #expect(version.limit(maximumBytes: 5, seconds: -1) == "max-size=5, max-age=0") }
    }

    @Test("bytes are appended as application/partial-upload from draft -04 on")
    func partialUpload() {
        #expect(InteropVersion.allCases.filter(\.hasPartialUploadType) == [.six, .seven, .eight])
    }

    @Test("the sha-256 of Repr-Digest is found among others, and nothing else is taken for it")
    func digests() {
        let text = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
        let expected = StructuredField.bytes("sha-256", inDictionary: "sha-256=:\(text):")
        #expect(expected?.count == 32)
        for field in ["sha-512=:AA==:, sha-256=:\(text):", "sha-256=:AA==:,  sha-256=:\(text):;a=1"] {
            #expect(StructuredField.bytes("sha-256", inDictionary: field) == expected, "\(field)")
        }
        for field in ["", "sha-256", "sha-256=", "sha-256=\(text)", "sha-256=:\(text)", "sha-256=:=:", "xsha-256=:\(text):", "sha-256=::"] {
            #expect(StructuredField.bytes("sha-256", inDictionary: field)?.count != 32, "\(field)")
        }
    }
}

@Suite("Tokens of uploads")
struct UploadTokenTests {
    @Test("are 43 characters of base64url, each once, and recognised by one spelling only")
    func spelling() throws {
        let tokens = (0..<200).map { _ in UploadToken.random() }
        #expect(Set(tokens.map(\.text)).count == 200)
        for token in tokens {
            #expect(token.text.utf8.count == 43 && !token.text.contains { "+/=".contains($0) })
            #expect(UploadToken(token.text)?.digest == token.digest)
            #expect(UploadToken(token.text + "=") == nil && UploadToken(String(token.text.dropLast())) == nil)
        }
        let zeros = String(repeating: "A", count: 43)
        #expect(UploadToken(zeros) != nil)
        // Two bits of the last character are beyond the 32 bytes.
        #expect(UploadToken(zeros.dropLast() + "B") == nil)
        for odd in ["", zeros.dropLast() + "+", zeros.dropLast() + "é", zeros.dropLast() + "%"] {
            #expect(UploadToken(odd) == nil, "\(odd)")
        }
    }
}
