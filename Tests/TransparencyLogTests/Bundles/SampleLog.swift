import CaptureProtocol
import Testing

@testable import TransparencyLog

/// A log with three witnesses, two of which make a quorum, all with fixed keys; its trees have two leaves.
struct SampleLog {
    let key: SignerKey
    let witnesses: [SignerKey]
    let policy: TrustPolicy
    private let origin: TextLine

    init(origin name: String = "rial.example/log/test") throws {
        let origin = try #require(TextLine(name))
        let key = try SignerKey(name: origin, kind: .log, seed: ContentDigest(of: Array(name.utf8)).bytes)
        let witnesses = try (1...3).map { number in
            let name = "witness.example/\(number)"
            return try SignerKey(name: try #require(TextLine(name)), kind: .witness, seed: ContentDigest(of: Array(name.utf8)).bytes)
        }
        let lines = witnesses.enumerated().map { "witness w\($0) \($1.verifier)\n" }.joined()
        policy = try TrustPolicy(Array("log \(key.verifier)\n\(lines)group ours 2 w0 w1 w2\nquorum ours\n".utf8))
        self.origin = origin
        self.key = key
        self.witnesses = witnesses
    }

    /// Enters a statement and proves it.
    /// - Parameters:
    ///   - seconds: between the statement's time and the cosignatures, of which there is one for each.
    ///   - timestamp: of the answer for the bytes to be stamped.
    func log(
        _ statement: Statement, evidence: [UInt8]? = nil, salt: Salt, cosignedAfter seconds: [Int] = [2, 3],
        timestamp: ([UInt8]) throws -> [UInt8]? = { _ in nil }
    ) throws -> EvidenceBundle.Logged {
        let sibling = MerkleHash.leaf(Array("\(statement.sequence)".utf8))
        let root = MerkleHash.node(sibling, statement.leaf(salt: salt).hash)
        let text = Checkpoint(origin: origin, head: TreeHead(size: 2, root: root)).text
        let signature = try key.sign(text)
        let cosignatures = try zip(witnesses, seconds).map { try $0.cosign(text, at: UInt64(statement.time + $1)) }
        let proof = try TransparencyProof(
            extra: salt.bytes, index: 1, inclusion: InclusionProof(hashes: [sibling]),
            note: SignedNote(text: text, signatures: [signature] + cosignatures))
        return .init(
            statement: statement, evidence: evidence, proof: proof.bytes,
            timestamp: try timestamp(try SignedNote(text: text, signatures: [signature]).bytes))
    }

    static func salt(_ byte: UInt8) throws -> Salt { try #require(Salt(bytes: [UInt8](repeating: byte, count: 32))) }
}
