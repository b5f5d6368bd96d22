import CaptureProtocol
import Testing

@testable import TransparencyLog

@Suite("Trust policies")
struct TrustPolicyTests {
    private static let w1 = "witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN"
    private static let w2 = "witness2.example.org+2e55b896+BIZ7fpceQWd60IfqQeS9IAnmNOCZjMDne8lZuguz/bi9"

    private struct Policies: Decodable {
        let good: [String]
        let bad: [String]
    }

    @Test("good ones are read, bad ones are refused", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func vectors() throws {
        let policies = try Vectors.json("policies.json", as: Policies.self)
        #expect(policies.good.count == 4 && policies.bad.count == 11)
        for policy in policies.good { #expect(try TrustPolicy(Array(policy.utf8)).bytes.elementsEqual(policy.utf8)) }
        // Upstream they lack the last LF, which alone is refused here.
        for policy in policies.bad { #expect(refusal { _ = try TrustPolicy(Array("\(policy)\n".utf8)) } == .malformedPolicy, "\(policy)") }
        #expect(refusal { _ = try TrustPolicy(Array("quorum none".utf8)) } == .malformedPolicy)
    }

    @Test("keep the URLs of logs and witnesses")
    func urls() throws {
        let lines = [
            "\tlog  \(WorkedExample.logKey)\thttps://rial.example/log/2026 ", "witness w1 \(Self.w1) https://w1.example/",
            "witness w2 \(Self.w2)", "quorum w1", "",
        ]
        let policy = try TrustPolicy(Array(lines.joined(separator: "\n").utf8))
        #expect(policy.logs.map(\.url) == ["https://rial.example/log/2026"] && policy.witnesses.map(\.url) == ["https://w1.example/", nil])
        #expect(policy.keys.count == 3)
        let origin = try #require(TextLine("rial.example/log/2026"))
        #expect(policy.logs.map(\.key.description) == [WorkedExample.logKey] && policy.logs.map(\.key.name) == [origin])
    }

    @Test("take names for bytes")
    func names() throws {
        let text = "witness \u{e4} \(Self.w1)\nwitness a\u{308} \(Self.w2)\ngroup K all \u{e4} a\u{308}\nquorum K\n"
        #expect(try TrustPolicy(Array(text.utf8)).witnesses.count == 2)
        #expect(refusal { _ = try TrustPolicy(Array(text.replacing("quorum K", with: "quorum \u{212a}").utf8)) } == .malformedPolicy)
        var opaque = Array("witness ? \(Self.w1)\nquorum ?\n".utf8)
        opaque[8] = 0xff
        opaque[opaque.count - 2] = 0xff
        #expect(try TrustPolicy(opaque).witnesses[0].name == [0xff])
        opaque[opaque.count - 2] = 0xfe
        #expect(refusal { _ = try TrustPolicy(opaque) } == .malformedPolicy)
    }

    private static let refused: [String] = [
        "", "quorum\n", "quorum none none\n", "log\nquorum none\n", "log \(w1)\nquorum none\n",
        "witness w \(WorkedExample.logKey)\nquorum w\n",
        "log \(WorkedExample.logKey) u v\nquorum none\n", "witness w\nquorum none\n", "witness w \(w1) u v\nquorum w\n",
        "log \(WorkedExample.logKey)\nlog \(WorkedExample.logKey)\nquorum none\n", "witness w \(w1)\ngroup g\nquorum w\n",
        "witness w \(w1)\ngroup g any\nquorum w\n", "witness w \(w1)\ngroup g 2 w\nquorum w\n", "witness w \(w1)\ngroup g 0 w\nquorum w\n",
        "witness w \(w1)\ngroup g 01 w\nquorum w\n", "witness w \(w1)\ngroup g Any w\nquorum w\n",
        "witness w \(w1)\ngroup g any w w\nquorum g\n",
        "witness w \(w1)\ngroup g any g\nquorum g\n", "witness w \(w1)\ngroup g any none\nquorum g\n",
        "witness w \(w1)\ngroup w any w\nquorum w\n",
        "witness any \(w1)\nquorum any\n", "quorum w\nwitness w \(w1)\n", "quorum none\r\n", "quorum none\u{7f}\n", "quorum none\u{0}\n",
        "Quorum none\n", "quorum none # no\n", "witness w \(w1)\nquorum w\u{a0}\n",
    ]

    @Test("of a false form, or with a key that is not to be trusted, are refused", arguments: Self.refused)
    func otherForms(text: String) {
        #expect(refusal { _ = try TrustPolicy(Array(text.utf8)) } == .malformedPolicy)
    }

    @Test("a key of a log among the witnesses, or one key under two names, is refused")
    func sameKey() throws {
        let log = try signer("log.example", .log, seed: "same").verifier
        let witness = try signer("witness.example", .witness, seed: "same").verifier
        let other = try signer("other.example", .witness, seed: "same").verifier
        for lines in [
            "log \(log)\nwitness w \(witness)\n", "witness w \(witness)\nlog \(log)\n", "witness w \(witness)\nwitness v \(other)\n",
        ] {
            #expect(refusal { _ = try TrustPolicy(Array("\(lines)quorum none\n".utf8)) } == .malformedPolicy)
        }
    }

    @Test("a key of small order is refused")
    func smallOrder() {
        let material = [1, 1] + [UInt8](repeating: 0, count: 31)
        let id = ContentDigest(of: Array("log.example\n".utf8) + material).hex.prefix(8)
        let text = "log log.example+\(id)+\(Base64.encode(material))\nquorum none\n"
        #expect(refusal { _ = try TrustPolicy(Array(text.utf8)) } == .malformedPolicy)
    }

    @Test("are read up to their limits")
    func limits() throws {
        let comment = String(repeating: "#", count: TrustPolicy.maximumBytes - 13) + "\nquorum none\n"
        #expect(try TrustPolicy(Array(comment.utf8)).logs.isEmpty)
        #expect(refusal { _ = try TrustPolicy(Array("#\(comment)".utf8)) } == .tooLong)
        let witnesses = try (0...TrustPolicy.maximumLines).map { "witness w\($0) \(try signer("w\($0)").verifier)\n" }
        let most = witnesses.dropLast().joined()
        #expect(try TrustPolicy(Array("\(most)quorum w9\n".utf8)).witnesses.count == TrustPolicy.maximumLines)
        #expect(refusal { _ = try TrustPolicy(Array("\(witnesses.joined())quorum w9\n".utf8)) } == .malformedPolicy)
        // Nested as deep as there can be groups.
        var nested = witnesses[0] + "group g0 any w0\n"
        for depth in 1..<TrustPolicy.maximumLines { nested += "group g\(depth) all g\(depth - 1)\n" }
        let policy = try TrustPolicy(Array("\(nested)quorum g\(TrustPolicy.maximumLines - 1)\n".utf8))
        let signature = VerifiedSignature(key: policy.witnesses[0].key, seconds: 5)
        #expect(policy.standing([signature]) == .met(seconds: 5) && policy.standing([]) == .missing)
    }

    @Test("a quorum is met at the time of the last cosignature that it needed")
    func quorum() throws {
        let keys = try (0..<5).map { try signer("w\($0)").verifier }
        let lines = keys.enumerated().map { "witness w\($0.offset) \($0.element)\n" }.joined()
        let text = lines + "group a 2 w0 w1 w2\ngroup b any w3 w4\ngroup both all a b\nquorum both\n"
        let policy = try TrustPolicy(Array(text.utf8))
        func standing(_ times: [Int: UInt64]) -> QuorumStanding {
            policy.standing(times.map { VerifiedSignature(key: keys[$0.key], seconds: $0.value) })
        }
        #expect(standing([0: 10, 1: 20, 3: 5]) == .met(seconds: 20))
        #expect(standing([0: 10, 1: 20, 2: 30, 3: 40, 4: 25]) == .met(seconds: 25))
        #expect(standing([0: 10, 1: 20]) == .missing)
        #expect(standing([0: 10, 3: 5, 4: 6]) == .missing)
        // Cosigned twice, a witness counts once, from its first time.
        let times: [(Int, UInt64)] = [(0, 10), (0, 90), (1, 70), (1, 60), (4, 1)]
        let twice = times.map { VerifiedSignature(key: keys[$0.0], seconds: $0.1) }
        #expect(policy.standing(twice) == .met(seconds: 60))
        #expect(policy.standing(twice.filter { $0.key != keys[1] }) == .missing)
    }

    @Test("only a log that signs under its own origin is known")
    func origin() throws {
        let log = try signer("log.example", .log)
        let other = try signer("other.example", .log)
        let policy = try TrustPolicy(Array("log \(log.verifier)\nlog \(other.verifier)\nquorum none\n".utf8))
        let checkpoint = Checkpoint(origin: log.verifier.name, head: .empty)
        let good = try SignedNote(text: checkpoint.text, signatures: [try other.sign(checkpoint.text), try log.sign(checkpoint.text)])
        #expect(try policy.validate(good).logKey == log.verifier)
        let foreign = try SignedNote(text: checkpoint.text, signatures: [try other.sign(checkpoint.text)])
        #expect(refusal { _ = try policy.validate(foreign) } == .unknownLog)
        let text = Array("log.example\nno size\n".utf8)
        #expect(refusal { _ = try policy.validate(try SignedNote(text: text, signatures: [try log.sign(text)])) } == .malformedCheckpoint)
        let spoilt = try good.adding([NoteSignature(key: other.verifier, signature: [1])])
        #expect(refusal { _ = try policy.validate(spoilt) } == .falseSignature)
    }
}
