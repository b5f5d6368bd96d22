import CaptureProtocol
import Foundation
import Testing

@testable import TransparencyLog

@Suite("Statements")
struct StatementTests {
    @Test("of every kind are read as they were made")
    func roundTrip() throws {
        var daily = try ExampleBundle.verdict()
        daily.kind = .hashOnly
        daily.manifest = nil
        daily.files = [:]
        daily.capturedAt = .notShared
        daily.receivedAt = .day(try ExampleBundle.time("2026-11-01T00:00:00Z"))
        let previous = ContentDigest(of: [1])
        let contents: [Statement.Content] = [
            .assessment(daily), .credentials(try ExampleBundle.verdict()), .reassessment(daily), .revocation(reason: "device_revoked"),
        ]
        for (index, content) in contents.enumerated() {
            let statement = try Statement(
                content, capture: try ExampleBundle.capture(), subject: try ExampleBundle.subject(), sequence: index, time: 1,
                previous: index == 0 ? nil : previous)
            #expect(try Statement(bytes: statement.bytes) == statement)
            #expect(statement.content == content && statement.kind == content.kind)
        }
    }

    @Test(
        "in another spelling are refused",
        arguments: [
            ("{\"algorithms\"", "{ \"algorithms\""), ("}", "}\n"), ("\"sequence\":0", "\"sequence\":00"),
            ("\"sequence\":0", "\"sequence\":-0"),
            ("\"sequence\":0", "\"sequence\":0.0"), ("\"sequence\":0", "\"sequence\":0e0"), ("\"sequence\":0", "\"sequence\":+0"),
            ("\"sequence\":0", "\"sequence\":\"0\""), ("\"sequence\":0", "\"sequence\":0,\"sequence\":0"), ("\"sequence\":0,", ""),
            ("\"time\":1793534402", "\"time\":9007199254740992"), ("\"time\":1793534402", "\"time\":99999999999999999999"),
            ("\"time\":1793534402", "\"time\":null"), ("\"time\":1793534402", "\"time\":true"), ("\"time\":1793534402", "\"time\":[]"),
            ("\"time\":1793534402,", "\"time\":1793534402,\"tome\":1,"), ("\"mode\":\"full\",", ""),
            ("\"mode\":\"full\"", "\"mode\":\"f\\u0075ll\""), ("\"mode\":\"full\"", "\"mode\":\"hash_only \""),
            ("\"kind\":\"assessment\"", "\"kind\":\"withdrawal\""), ("rial.statement/1", "rial.statement/2"),
            ("0f0e0d0c", "0F0E0D0C"), ("36d5ece5", "36D5ECE5"), ("36d5ece5", "36d5ece"), ("71b1c551", "71B1C551"),
            ("\"c2pa.jpg\"", "\"../c2pa.jpg\""), ("\"c2pa.jpg\"", "\"\""), ("\"c2pa.jpg\"", "\"c2pé.jpg\""),
            ("11:59:58.000Z", "11:59:58Z"), ("11:59:58.000Z", "11:59:58.0000Z"), ("11:59:58.000Z", "12:59:58.000+01:00"),
            ("2026-11-01T11", "2026-02-30T11"), ("\"high\"", "\"HIGH\""), ("\"high\"", "\"certain\""), ("\"relief-1\"", "\"\""),
            ("\"relief-1\"", "\"relief 1\""), ("\"relief-1\"", "{}"), ("urn:c2pa", "urn c2pa"),
            ("\"received_at\":\"2026-11-01T12:00:02.000Z\",", ""), ("\"type\":\"rial.statement/1\"", "\"tipe\":\"rial.statement/1\""),
            ("\"algorithms\":{", "\"algorithms\":{\"a\":{\"a\":{\"a\":{\"a\":{}}}},"),
        ])
    func refused(part: String, other: String) throws {
        let text = WorkedExample.statement.replacingOccurrences(of: part, with: other)
        #expect(text != WorkedExample.statement)
        #expect(throws: BundleError.self) { try Statement(bytes: Array(text.utf8)) }
    }

    @Test("are refused cut off at any byte, and with any byte changed to one that is no text")
    func cut() {
        let bytes = Array(WorkedExample.statement.utf8)
        for index in bytes.indices {
            #expect(throws: BundleError.self) { try Statement(bytes: Array(bytes[..<index])) }
            var changed = bytes
            changed[index] = 0xff
            #expect(throws: BundleError.self) { try Statement(bytes: changed) }
        }
    }

    @Test("have a sequence and a predecessor that fit their kind")
    func order() throws {
        let verdict = try ExampleBundle.verdict()
        let previous = ContentDigest(of: [1])
        let wrong: [(Statement.Content, Int, ContentDigest?)] = [
            (.assessment(verdict), 1, previous), (.assessment(verdict), 0, previous), (.credentials(verdict), 0, nil),
            (.revocation(reason: "error"), 0, nil), (.reassessment(verdict), 2, nil), (.credentials(verdict), -1, previous),
        ]
        for (content, sequence, previous) in wrong {
            #expect(throws: BundleError.self) {
                try Statement(
                    content, capture: try ExampleBundle.capture(), subject: try ExampleBundle.subject(), sequence: sequence, time: 1,
                    previous: previous)
            }
        }
    }

    @Test("take back for a word alone", arguments: ["", "Device", "device revoked", "device-revoked", String(repeating: "a", count: 65)])
    func reason(reason: String) {
        #expect(throws: BundleError.self) {
            try Statement(
                .revocation(reason: reason), capture: try ExampleBundle.capture(), subject: try ExampleBundle.subject(), sequence: 1,
                time: 1, previous: ContentDigest(of: [1]))
        }
    }

    @Test("have at most 16 KiB")
    func size() throws {
        var verdict = try ExampleBundle.verdict()
        for index in 0..<300 { verdict.files["file-\(index).jpg"] = ContentDigest(of: [UInt8(index & 255)]) }
        #expect(throws: BundleError.self) {
            try Statement(
                .assessment(verdict), capture: try ExampleBundle.capture(), subject: try ExampleBundle.subject(), sequence: 0, time: 1,
                previous: nil)
        }
    }

    @Test("have another commitment for another salt")
    func salts() throws {
        let statement = try ExampleBundle.madeStatement()
        let other = try #require(Salt(bytes: [UInt8](repeating: 7, count: 32)))
        #expect(statement.commitment(salt: other) != statement.commitment(salt: try ExampleBundle.salt()))
        #expect(Salt(bytes: [UInt8](repeating: 7, count: 31)) == nil)
    }
}

@Suite("Canonical JSON")
struct CanonicalJSONTests {
    @Test("escapes what RFC 8785 escapes, and nothing else")
    func escapes() throws {
        let text = "\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"\\/~\u{7f}"
        let written = "{\"a\":\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f \\\"\\\\/~\u{7f}\"}"
        let value = CanonicalJSON.object(["a": .string(text)])
        #expect(value.encoded == Array(written.utf8))
        #expect(try CanonicalJSON(Array(written.utf8)) == value)
    }

    @Test("sorts names by bytes, and takes no other order")
    func order() throws {
        let value = CanonicalJSON.object(["b": .integer(1), "a": .integer(0), "B": .integer(2), "a1": .object([:]), "": .string("")])
        let written = #"{"":"","B":2,"a":0,"a1":{},"b":1}"#
        #expect(value.encoded == Array(written.utf8))
        #expect(try CanonicalJSON(Array(written.utf8)) == value)
        #expect(throws: BundleError.self) { try CanonicalJSON(Array(#"{"b":1,"a":0}"#.utf8)) }
    }

    @Test(
        "refuses all other JSON",
        arguments: [
            "", "{", "}", "null", "true", "[]", "1.5", "-1", "01", "1e3", " 1", "1 ", "\"", "\"\\/\"", "\"\\u0009\"", "\"\\u001F\"",
            "\"\\u007f\"",
            "\"\t\"", "\"é\"", "{\"a\":1,}", "{\"a\" :1}", "{,}", "{\"a\":1,\"a\":1}", "{\"a\":1}{}", "{a:1}", "9007199254740992",
            String(repeating: "{\"a\":", count: 5) + "1" + String(repeating: "}", count: 5), String(repeating: "{\"a\":", count: 100_000),
        ])
    func refused(text: String) {
        #expect(throws: BundleError.self) { try CanonicalJSON(Array(text.utf8)) }
    }

    @Test("takes integers up to 2^53 - 1")
    func integers() throws {
        #expect(try CanonicalJSON(Array("9007199254740991".utf8)) == .integer(CanonicalJSON.largestInteger))
        #expect(try CanonicalJSON(Array("0".utf8)) == .integer(0))
    }
}

@Suite("What a device sent")
struct RawPartsTests {
    private func sample() throws -> RawParts {
        let names = ["assertion", "attestation", "depth", "metadata", "photo"]
        let digests = [
            "905e960fcd123705aa393494818534b3416b308167dde9d66d381990eee2d960",
            "ae649ac8a763d9e157db069f555eb44a1f3876d8551667b9710404eb7cebbffe",
            "263ba543e68b5e8a6fc398817f10ce4ab2ae90da5448ecebaa208cb8d5d841bd",
            "da62e850f5e002eff20961166893dbefe94df2800af911d77c8141fbb99cc6a5",
            "71b1c551c902b4994991929cae31aec5fba97a48409afbf4326845f37099e3cc",
        ]
        let salt = try #require(Hex.decode("eaed61c1d34cf0b6a6ce52926dfb84c37d8ab5a175c5e3bac423863e7459a233").flatMap { Salt(bytes: $0) })
        let pairs = try zip(names, digests).map { (try #require(RawParts.Name(rawValue: $0)), try ExampleBundle.digest($1)) }
        return RawParts(digests: Dictionary(uniqueKeysWithValues: pairs), salt: salt)
    }

    @Test("is committed to by name, and opened by canonical JSON")
    func digest() throws {
        let parts = try sample()
        #expect(parts.digest.hex == "0b6e65fd0de145e93cd39edc4e3d2daafd94e3a4bedfcae1a1473d6f4d1b0879")
        #expect(try RawParts(json: parts.json) == parts)
    }

    @Test("is another commitment without a part, or with another")
    func parts() throws {
        let parts = try sample()
        for name in RawParts.Name.allCases {
            var digests = parts.digests
            digests[name] = digests[name] == nil ? ContentDigest(of: [1]) : nil
            #expect(RawParts(digests: digests, salt: parts.salt).digest != parts.digest)
        }
    }

    @Test(
        "is opened by nothing else",
        arguments: [
            ("\"photo\"", "\"phota\""), ("\"salt\":\"eaed", "\"salt\":\"EAED"), ("\"salt\":\"eaed", "\"salt\":\"ea"),
            ("\"salt\"", "\"solt\""),
            ("\"digests\":{", "\"digests\":{\"video\":0,"), ("905e960f", "905E960F"), ("{\"digests\"", "{\"a\":1,\"digests\""),
        ])
    func refused(part: String, other: String) throws {
        let text = String(decoding: try sample().json, as: UTF8.self).replacingOccurrences(of: part, with: other)
        #expect(throws: BundleError.self) { try RawParts(json: Array(text.utf8)) }
    }
}
