import CaptureProtocol
import Testing

@testable import TransparencyLog

@Suite("The entries of a bundle")
struct BundleFormTests {
    private static let order = [
        "mimetype", "readme.txt", "policy", "0/statement.json", "0/evidence.json", "0/proof.tlog-proof", "0/checkpoint.tsr",
        "1/statement.json", "1/proof.tlog-proof", "manifest.c2pa", "media/c2pa.jpg", "media/public.jpg", "owner/raw.json",
        "owner/assertion.cbor", "owner/attestation.cbor", "owner/client-data-hash", "owner/metadata.json", "owner/photo.jpg", "owner/depth",
    ]

    /// A bundle with every entry that there is, but for `owner/payload.json`, which has the place of `owner/metadata.json`.
    private static func whole() throws -> EvidenceBundle {
        var bundle = try ExampleBundle.bundle()
        bundle.readme = Array("read me".utf8)
        bundle.policy = Array("policy".utf8)
        bundle.statements[0].timestamp = [1]
        let statement = bundle.statements[0].statement
        let revocation = try Statement(
            .revocation(reason: "device_revoked"), capture: statement.capture, subject: statement.subject, sequence: 1, time: 1_793_534_500,
            previous: statement.commitment(salt: try ExampleBundle.salt()))
        bundle.statements.append(.init(statement: revocation, evidence: nil, proof: Array(WorkedExample.proof.utf8), timestamp: nil))
        bundle.media = ["public.jpg": [2], "c2pa.jpg": [3]]
        let raw = RawParts(digests: [.photo: ContentDigest(of: [4])], salt: try ExampleBundle.salt())
        bundle.owner = .init(
            raw: raw, assertion: [5], attestation: [6], clientDataHash: ContentDigest(of: [7]), signed: .metadata([8]), photo: [9],
            depth: [])
        return bundle
    }

    private static func entries() throws -> [StoredArchive.Entry] { try StoredArchive(try whole().bytes()).entries }
    private static func entry(_ name: String, _ content: [UInt8]) -> StoredArchive.Entry {
        .init(name: Array(name.utf8), content: content[...])
    }
    private func isRead(_ entries: [StoredArchive.Entry]) throws -> Bool { (try? EvidenceBundle(try StoredArchive(entries).bytes)) != nil }

    @Test("stand in one order, and are read as they were written")
    func whole() throws {
        let bundle = try Self.whole()
        let bytes = try bundle.bytes()
        #expect(try StoredArchive(bytes).entries.map { String(decoding: $0.name, as: UTF8.self) } == Self.order)
        #expect(try EvidenceBundle(bytes) == bundle)
        #expect(try EvidenceBundle(bytes).bytes() == bytes)
    }

    @Test("may be those of a hash-only capture")
    func payload() throws {
        var bundle = try Self.whole()
        bundle.owner?.signed = .payload([1])
        #expect(try EvidenceBundle(try bundle.bytes()) == bundle)
    }

    @Test("are refused in any other order, twice, or beside others")
    func order() throws {
        let entries = try Self.entries()
        #expect(try isRead(entries))
        for index in entries.indices.dropLast() {
            var swapped = entries
            swapped.swapAt(index, index + 1)
            #expect(try !isRead(swapped), "\(Self.order[index]) and the next one")
        }
        for index in entries.indices {
            var doubled = entries
            doubled.insert(entries[index], at: index)
            #expect(try !isRead(doubled), "\(Self.order[index]) twice")
            for name in ["a", "2/statement.json", "0/evidence.json ", "OWNER/RAW.JSON", "owner/", "media/"] {
                var more = entries
                more.insert(Self.entry(name, []), at: index)
                #expect(try !isRead(more), "\(name) before \(Self.order[index])")
            }
        }
    }

    @Test("may be missing, but for those that prove")
    func missing() throws {
        let entries = try Self.entries()
        let needed: Set = [
            "mimetype", "0/statement.json", "0/evidence.json", "0/proof.tlog-proof", "1/statement.json", "1/proof.tlog-proof",
            "owner/raw.json",
        ]
        for index in entries.indices {
            var fewer = entries
            fewer.remove(at: index)
            #expect(try isRead(fewer) != needed.contains(Self.order[index]), "without \(Self.order[index])")
        }
    }

    @Test(
        "are refused with other content",
        arguments: [
            ("mimetype", "application/vnd.rial.bundle.v2+zip"), ("mimetype", "application/vnd.rial.bundle.v1+zip\n"), ("mimetype", ""),
            ("0/statement.json", "{}"), ("1/statement.json", WorkedExample.statement.replacing("\"sequence\":0", with: "\"sequence\":1")),
            ("owner/raw.json", "{}"), ("owner/client-data-hash", "31 bytes"),
        ])
    func content(name: String, content: String) throws {
        var entries = try Self.entries()
        let index = try #require(Self.order.firstIndex(of: name))
        entries[index] = Self.entry(name, Array(content.utf8))
        #expect(try !isRead(entries))
    }

    @Test("have evidence exactly where there is a verdict")
    func evidence() throws {
        var bundle = try Self.whole()
        bundle.statements[0].evidence = nil
        #expect(throws: BundleError.self) { try bundle.bytes() }
        bundle = try Self.whole()
        bundle.statements[1].evidence = []
        #expect(throws: BundleError.self) { try bundle.bytes() }
        var entries = try Self.entries()
        entries.insert(Self.entry("1/evidence.json", []), at: 8)
        #expect(try !isRead(entries))
        #expect(throws: BundleError.self) { try EvidenceBundle(statements: []).bytes() }
    }

    @Test(
        "of media have names of published files",
        arguments: ["", "..", "../a", "a/b", ".a", "A.jpg", "é", "a b", String(repeating: "a", count: 65)])
    func media(name: String) throws {
        var bundle = try Self.whole()
        bundle.media[name] = []
        #expect(throws: BundleError.self) { try bundle.bytes() }
        var entries = try Self.entries()
        entries.insert(Self.entry("media/" + name, []), at: 10)
        #expect(try !isRead(entries))
    }

    @Test(
        "are bounded",
        arguments: [("readme.txt", 64 << 10), ("0/evidence.json", 256 << 10), ("0/checkpoint.tsr", 64 << 10), ("policy", 64 << 10)])
    func sizes(name: String, limit: Int) throws {
        var entries = try Self.entries()
        let index = try #require(Self.order.firstIndex(of: name))
        entries[index] = Self.entry(name, [UInt8](repeating: 0, count: limit))
        #expect(try isRead(entries))
        entries[index] = Self.entry(name, [UInt8](repeating: 0, count: limit + 1))
        #expect(try !isRead(entries))
    }
}
