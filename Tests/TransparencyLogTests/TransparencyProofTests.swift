import CaptureProtocol
import Foundation
import Testing
import TransparencyLog

@Suite("Proofs of a transparency log")
struct TransparencyProofTests {
    private let bytes = Array(WorkedExample.proof.utf8)

    private func validate(_ bytes: [UInt8], _ policy: String = WorkedExample.policy) throws -> ValidatedCheckpoint {
        let proof = try TransparencyProof(bytes)
        return try proof.verified(leaf: MerkleHash.leaf(WorkedExample.leaf(salt: proof.extra)), by: try TrustPolicy(Array(policy.utf8)))
    }

    @Test("the worked example is proved, byte for byte")
    func example() throws {
        let proof = try TransparencyProof(bytes)
        #expect(proof.bytes == bytes)
        #expect(proof.index == 300 && Hex.encode(proof.extra) == "2756eba341b2841494aa3a76f538b30c9865b6d8c7f5e0ca32d39a493818975f")
        let leaf = WorkedExample.leaf(salt: proof.extra)
        #expect(leaf.count == 132)
        #expect(MerkleHash.leaf(leaf).hex == "d90f4acfbd7c8400980de6c02bea85109b51c11c0ad775e5a96c6c427a02faf6")
        let validated = try validate(bytes)
        #expect(validated.checkpoint.size == 500 && validated.logKey.description == WorkedExample.logKey)
        #expect(validated.cosigners.map(\.seconds) == [1_793_534_404, 1_793_534_405])
        #expect(validated.cosigners.map { String(decoding: $0.witness.name, as: UTF8.self) } == ["w1", "w2"])
        #expect(validated.quorum == .met(seconds: 1_793_534_405))
        #expect(ContentDigest(of: validated.stampedBytes).hex == "90066656fa3bf446462b429d5139a84027d9e5a6a4145a29cc7129c3b8cf4307")
        #expect(try TransparencyProof(extra: proof.extra, index: 300, inclusion: proof.inclusion, note: proof.note) == proof)
    }

    @Test("the example's log signs with the key of its seed")
    func key() throws {
        let log = try signer("rial.example/log/2026", .log, seed: "rial example log")
        #expect(log.verifier.description == WorkedExample.logKey)
        let note = try TransparencyProof(bytes).note
        #expect(try log.sign(note.text).verified(by: try VerifierKey(WorkedExample.logKey), over: note.text) != nil)
    }

    @Test("one changed bit anywhere in the example is refused")
    func bits() throws {
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(refusal { _ = try validate(changed) } != nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("the example cut off, or with a byte more, is refused")
    func lengths() throws {
        for count in bytes.indices { #expect(refusal { _ = try validate(Array(bytes[..<count])) } != nil, "\(count)") }
        for byte in [UInt8(0x0a), 0x20, 0x41, 0x0d, 0] { #expect(refusal { _ = try validate(bytes + [byte]) } != nil) }
    }

    @Test("another policy proves it not, and says why")
    func policies() {
        let three = WorkedExample.policy.replacing("group ours 2", with: "group ours 3")
        #expect(refusal { _ = try validate(bytes, three) } == .quorumMissing)
        let noLog = WorkedExample.policy.replacing("log rial", with: "# log rial")
        #expect(refusal { _ = try validate(bytes, noLog) } == .unknownLog)
        let none = WorkedExample.policy.replacing("quorum ours", with: "quorum none")
        #expect(refusal { _ = try validate(bytes, none) } == nil)
        #expect(refusal { _ = try validate(bytes, none.replacing("2026+531d8d44", with: "2027+531d8d44")) } == .malformedPolicy)
    }

    @Test("another leaf, or another place, is not proved")
    func otherLeaf() throws {
        let proof = try TransparencyProof(bytes)
        let policy = try TrustPolicy(Array(WorkedExample.policy.utf8))
        #expect(refusal { _ = try proof.verified(leaf: MerkleHash.empty, by: policy) } == .notIncluded)
        let elsewhere = Array(WorkedExample.proof.replacing("index 300", with: "index 301").utf8)
        #expect(refusal { _ = try validate(elsewhere) } == .notIncluded)
        let outside = Array(WorkedExample.proof.replacing("index 300", with: "index 500").utf8)
        #expect(refusal { _ = try validate(outside) } == .notIncluded)
    }

    private static let forms: [[String]] = [
        ["tlog-proof@v1\n", "tlog-proof@v2\n"], ["extra J1bro0GyhBSUqjp29TizDJhlttjH9eDKMtOaSTgYl18=\n", "extra \n"],
        ["extra ", "extra  "],
        ["extra ", "Extra "], ["gYl18=", "gYl19="], ["index 300", "index 0300"], ["index 300", "index +300"], ["index 300", "index 300 "],
        ["index 300\n", ""], ["index 300\n", "index 300\r\n"], ["index 300", "index 18446744073709551616"], ["LM/0RdT", "LM_0RdT"],
        ["UQVhF98=\n", "UQVhF98\n"], ["UQVhF98=\n", "UQVhF98=\nAAAA\n"], ["UQVhF98=\n\n", "UQVhF98=\n"],
    ]

    @Test("another form is refused", arguments: Self.forms)
    func otherForms(form: [String]) {
        #expect(refusal { _ = try TransparencyProof(Array(WorkedExample.proof.replacing(form[0], with: form[1]).utf8)) } == .malformedProof)
    }

    @Test("more hashes or extra bytes than a proof has are refused")
    func limits() throws {
        let proof = try TransparencyProof(bytes)
        let hash = String(WorkedExample.proof.split(separator: "\n")[3]) + "\n"
        let long = WorkedExample.proof.replacing("index 300\n", with: "index 300\n" + String(repeating: hash, count: 56))
        #expect(refusal { _ = try TransparencyProof(Array(long.utf8)) } == .malformedProof)
        let hashes = InclusionProof(hashes: Array(repeating: MerkleHash.empty, count: 65))
        #expect(refusal { _ = try TransparencyProof(index: 0, inclusion: hashes, note: proof.note) } == .tooLong)
        let extra = [UInt8](repeating: 1, count: TransparencyProof.maximumExtraBytes)
        let largest = try TransparencyProof(extra: extra, index: .max, inclusion: proof.inclusion, note: proof.note)
        #expect(try TransparencyProof(largest.bytes) == largest)
        #expect(
            refusal { _ = try TransparencyProof(extra: extra + [1], index: 0, inclusion: proof.inclusion, note: proof.note) } == .tooLong)
        #expect(refusal { _ = try TransparencyProof([UInt8](repeating: 0x41, count: 1_200_000)) } == .tooLong)
    }

    private struct PublicEntry: Decodable {
        struct Want: Decodable {
            let index: UInt64
            let size: UInt64
        }

        let policy: String
        let entry: Data
        let proof: String
        let want: Want
    }

    @Test("an entry of a public log is proved", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func publicEntry() throws {
        let vector = try Vectors.json("public-log-entry.json", as: PublicEntry.self)
        let proof = try TransparencyProof(Array(vector.proof.utf8))
        #expect(proof.bytes.elementsEqual(vector.proof.utf8) && proof.index == vector.want.index && proof.extra.isEmpty)
        let policy = try TrustPolicy(Array(vector.policy.utf8))
        let validated = try proof.verified(leaf: MerkleHash.leaf(vector.entry), by: policy)
        #expect(validated.checkpoint.size == vector.want.size && validated.quorum == .notRequired && validated.cosigners.isEmpty)
        #expect(validated.note.signatures.count == 3)
        #expect(refusal { _ = try proof.verified(leaf: MerkleHash.leaf(vector.entry.dropLast()), by: policy) } == .notIncluded)
    }
}
