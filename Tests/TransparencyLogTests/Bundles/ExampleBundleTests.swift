import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import TransparencyLog

@Suite("The worked example of statement, leaf and bundle")
struct ExampleBundleTests {
    @Test("gives statement, commitment, leaf and leaf hash from values")
    func made() throws {
        let statement = try ExampleBundle.madeStatement()
        #expect(String(decoding: statement.bytes, as: UTF8.self) == WorkedExample.statement)
        let salt = try ExampleBundle.salt()
        let commitment = "82c2f7b00484c66c5b7e751de35abef887576c9961038ba1d25e40c637327585"
        #expect(statement.commitment(salt: salt).hex == commitment)
        let leaf = statement.leaf(salt: salt)
        let text = "rial.leaf/1\nassessment\n1793534402\n36d5ece5ebe25a89905a187acb9416f3\n\(commitment)\n"
        #expect(leaf.bytes == Array(text.utf8) && leaf.bytes.count == 132)
        #expect(leaf.hash.hex == "d90f4acfbd7c8400980de6c02bea85109b51c11c0ad775e5a96c6c427a02faf6")
    }

    @Test("reads back as the values that it was made of")
    func read() throws {
        let statement = try Statement(bytes: Array(WorkedExample.statement.utf8))
        #expect(statement == (try ExampleBundle.madeStatement()))
        #expect(statement.verdict == (try ExampleBundle.verdict()))
    }

    @Test("gives the bundle byte for byte")
    func bundle() throws {
        let bytes = try ExampleBundle.bundle().bytes()
        #expect(bytes.count == 3394)
        #expect(ContentDigest(of: bytes).hex == "59b2d61b295a84c8f2c0d5ffc4685888a8ae76ef6d99b070c749312d6bc11709")
        #expect(try EvidenceBundle(bytes) == ExampleBundle.bundle())
    }

    @Test("stamps the checkpoint as the log alone signed it")
    func stamped() throws {
        let validated = try ExampleBundle.policy().validate(try TransparencyProof(Array(WorkedExample.proof.utf8)).note)
        #expect(
            ContentDigest(of: validated.stampedBytes).hex == "90066656fa3bf446462b429d5139a84027d9e5a6a4145a29cc7129c3b8cf4307")
    }

    @Test("is proved, witnessed by the later of two cosignatures")
    func proved() async throws {
        let report = await BundleVerifier(policy: try ExampleBundle.policy()).verify(
            try ExampleBundle.bundle().bytes(), files: [GivenFile(name: "IMG_1.jpg", bytes: Array("example photo".utf8))])
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.verdict == (try ExampleBundle.verdict()))
        #expect(report.entry?.index == 300 && report.entry?.treeSize == 500 && report.entry?.witnessedAt == 1_793_534_405)
        #expect(report.entry?.stampedAt == nil && report.revocation == nil)
        #expect(report.notChecked.last == BundleReport.always && report.notChecked.count == 3)
    }

    @Test("is refused with any bit of any byte changed")
    func everyBit() async throws {
        let bytes = try ExampleBundle.bundle().bytes()
        let verifier = BundleVerifier(policy: try ExampleBundle.policy())
        var outcomes: [BundleReport.Outcome: Int] = [:]
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                outcomes[await verifier.verify(changed).outcome, default: 0] += 1
            }
        }
        // The checksum of each entry sees every single bit, so none gets as far as a proof.
        #expect(outcomes == [.unreadable: 8 * 3394])
    }

    @Test("is refused with a bit changed behind a checksum that was made again", arguments: 0..<8)
    func everyBitWithChecksum(bit: Int) async throws {
        let verifier = BundleVerifier(policy: try ExampleBundle.policy())
        let entries = try StoredArchive(try ExampleBundle.bundle().bytes()).entries
        var proved: [String] = []
        for (place, entry) in entries.enumerated() {
            // Every eighth byte, another one for each bit; all of them together are tried over all bits.
            for offset in stride(from: bit, to: entry.content.count, by: 8) {
                var content = Array(entry.content)
                content[offset] ^= 1 << bit
                var changed = entries
                changed[place] = .init(name: entry.name, content: content[...])
                let outcome = await verifier.verify(try StoredArchive(changed).bytes).outcome
                if outcome == .proved { proved.append("\(String(decoding: entry.name, as: UTF8.self)) \(offset)") }
            }
        }
        #expect(proved.isEmpty)
    }
}
