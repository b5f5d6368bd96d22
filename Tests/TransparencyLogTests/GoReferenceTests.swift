import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

@Suite("Go's sumdb/note and sumdb/tlog", .enabled(if: GoReference.isPresent, "needs golang-go and golang-golang-x-mod-dev"))
struct GoReferenceTests {
    private static let size = 70_000
    private static let proofCount = 400

    @Test("verify a log of 70,000 entries: signatures, every entry, and proofs of random indexes and sizes")
    func agree() throws {
        let log = try WrittenLog(size: Self.size, seed: 2026)
        defer { log.remove() }
        try log.writeProofs(Self.proofCount, seed: 7)
        let result = try GoReference.run([log.folder.path, log.key.verifier.description, log.witness.verifier.description])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == "\(Self.size) entries, \(2 * Self.proofCount) proofs\n")
    }

    @Test("refuse it after a change", arguments: ["checkpoint", "tile/0/100", "tile/entries/200", "tile/1/001.p/17", "proofs"])
    func refuse(name: String) throws {
        let log = try WrittenLog(size: Self.size, seed: 2026)
        defer { log.remove() }
        try log.writeProofs(20, seed: 7)
        var bytes = Array(try Data(contentsOf: log.folder.appendingPathComponent(name)))
        // In a hash or a signature, not in what separates them.
        let place = name == "proofs" ? bytes.count - 20 : bytes.count / 2
        bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
        try Data(bytes).write(to: log.folder.appendingPathComponent(name))
        let result = try GoReference.run([log.folder.path, log.key.verifier.description, log.witness.verifier.description])
        #expect(result.status == 1, "\(result.output)")
    }
}
