import CaptureProtocol
import TestSupport
import Testing
import TransparencyLog

@Suite("A witness")
struct CheckpointWitnessTests {
    private let log: SignerKey
    private let key: SignerKey
    private let witness: CheckpointWitness
    private let tree = ReferenceTree(count: 20)

    init() throws {
        log = try signer("log.example", .log)
        key = try signer("witness.example")
        witness = try CheckpointWitness(signer: key, logs: [log.verifier])
    }

    /// A signed request, with the proof that belongs to it unless another is given.
    private func request(_ old: Int, _ size: Int, proof: [ContentDigest]? = nil, root: ContentDigest? = nil) throws -> CheckpointSubmission
    {
        let text = Checkpoint(origin: log.verifier.name, head: TreeHead(size: UInt64(size), root: root ?? tree.root(size))).text
        let hashes = proof ?? (old > 0 && old <= size ? tree.proof(old, size) : [])
        let note = try SignedNote(text: text, signatures: [try log.sign(text)])
        return try CheckpointSubmission(oldSize: UInt64(old), proof: ConsistencyProof(hashes: hashes), note: note)
    }

    private func answer(of witness: CheckpointWitness, to body: String, _ latest: TreeHead?) throws -> WitnessAnswer {
        do throws(TransparencyLogError) {
            let request = try CheckpointSubmission(Array(body.utf8))
            #expect(request.bytes.elementsEqual(body.utf8))
            return try witness.answer(request, latest: latest, at: 1_793_534_405)
        } catch {
            return .refusal(of: error)
        }
    }

    private func head(_ size: Int) -> TreeHead { TreeHead(size: UInt64(size), root: tree.root(size)) }

    @Test("answers the requests of another implementation as that does", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
    func vectors() throws {
        let vectors = try Vectors.json("witness-requests.json", as: WitnessTranscript.self)
        #expect(vectors.requests.count == 9)
        let witness = try CheckpointWitness(signer: key, logs: [try VerifierKey(vectors.log)])
        var latest: TreeHead?
        for vector in vectors.requests {
            let answer = try self.answer(of: witness, to: vector.body, latest)
            #expect(answer.status == vector.status, "\(vector.name)")
            if let body = vector.answer { #expect(answer.body.elementsEqual(body.utf8) && answer.contentType == "text/x.tlog.size") }
            if case .cosigned(_, _, let head) = answer { latest = head }
        }
        #expect(latest?.size == 5)
    }

    @Test("says of a line that is no signature what it says of a false one, and of another form that it is none")
    func unreadable() throws {
        let body = String(decoding: try request(0, 3).bytes, as: UTF8.self)
        #expect(try answer(of: witness, to: body, nil).status == 200)
        #expect(try answer(of: witness, to: body + "x\n", nil) == .forbidden)
        #expect(try answer(of: witness, to: body.replacing("old 0", with: "old -1"), nil) == .malformed)
        #expect(try answer(of: witness, to: body.replacing("\n3\n", with: "\n03\n"), nil) == .malformed)
    }

    @Test("cosigns what is consistent with what it cosigned before, and gives the note to keep")
    func cosigned() throws {
        var latest: TreeHead?
        for size in [0, 1, 1, 7, 8, 8, 20] {
            let request = try request(Int(latest?.size ?? 0), size)
            guard case .cosigned(let signature, let note, let head) = try witness.answer(request, latest: latest, at: 77) else {
                Issue.record("size \(size) is not cosigned")
                return
            }
            #expect(signature.verified(by: key.verifier, over: request.note.text)?.seconds == 77)
            #expect(try note.verified(by: [log.verifier, key.verifier]).count == 2 && note.signatures.count == 2)
            #expect(head == self.head(size))
            latest = head
        }
    }

    @Test("keeps no signatures of strangers")
    func strangers() throws {
        let request = try request(0, 3)
        let stranger = try signer("stranger.example", .log)
        let note = try request.note.adding([try stranger.sign(request.note.text)])
        let crowded = try CheckpointSubmission(oldSize: 0, proof: request.proof, note: note)
        guard case .cosigned(_, let kept, _) = try witness.answer(crowded, latest: nil, at: 1) else {
            Issue.record("not cosigned")
            return
        }
        #expect(kept.signatures.map(\.name) == [log.verifier.name, key.verifier.name])
    }

    @Test("refuses, in the order of c2sp.org/tlog-witness")
    func refusals() throws {
        let latest = head(7)
        func answer(_ request: CheckpointSubmission, _ latest: TreeHead?) throws -> WitnessAnswer {
            try witness.answer(request, latest: latest, at: 1)
        }
        #expect(try answer(try request(8, 7), latest) == .malformed)
        #expect(try answer(try request(6, 9), latest) == .conflict(size: 7))
        #expect(try answer(try request(0, 9), latest) == .conflict(size: 7))
        #expect(try answer(try request(9, 9), latest) == .conflict(size: 7))
        #expect(try answer(try request(3, 9), nil) == .conflict(size: 0))
        #expect(try answer(try request(7, 9, proof: []), latest) == .inconsistent)
        #expect(try answer(try request(7, 9, root: tree.root(8)), latest) == .inconsistent)
        #expect(try answer(try request(7, 7, root: tree.root(8)), latest) == .inconsistent)
        #expect(try answer(try request(7, 7, proof: [tree.root(7)]), latest) == .inconsistent)
        #expect(try answer(try request(0, 9, proof: [tree.root(7)]), nil) == .inconsistent)
        #expect(try answer(try request(0, 0, root: tree.root(8)), nil) == .inconsistent)

        let good = try request(7, 9)
        let stranger = try signer("log.example", .log, seed: "stranger")
        let unsigned = try SignedNote(text: good.note.text, signatures: [try stranger.sign(good.note.text)])
        #expect(try answer(try CheckpointSubmission(oldSize: 7, proof: good.proof, note: unsigned), latest) == .forbidden)
        let spoilt = try good.note.adding([NoteSignature(key: log.verifier, signature: Array(repeating: 0, count: 64))])
        #expect(try answer(try CheckpointSubmission(oldSize: 99, proof: good.proof, note: spoilt), latest) == .forbidden)
        let foreign = Checkpoint(origin: key.verifier.name, head: latest).text
        let unknown = try SignedNote(text: foreign, signatures: [try log.sign(foreign)])
        #expect(try answer(try CheckpointSubmission(oldSize: 99, proof: good.proof, note: unknown), latest) == .unknownLog)
        #expect(refusal { _ = try witness.answer(good, latest: latest, at: .max) } == .outOfRange)
    }

    @Test("signs with a witness's key that is no log's")
    func keys() throws {
        #expect(refusal { _ = try CheckpointWitness(signer: log, logs: []) } == .wrongKey)
        #expect(refusal { _ = try CheckpointWitness(signer: key, logs: [key.verifier]) } == .wrongKey)
        let same = try signer("log.example", .log, seed: "witness.example").verifier
        #expect(refusal { _ = try CheckpointWitness(signer: key, logs: [same]) } == .wrongKey)
    }

    @Test("answers with the status, type and body of its protocol")
    func answers() throws {
        let signature = try key.cosign([0x0a], at: 5)
        let note = try SignedNote(text: [0x0a], signatures: [signature])
        let answers: [WitnessAnswer] = [
            .cosigned(signature, note: note, head: .empty), .malformed, .forbidden, .unknownLog, .conflict(size: .max), .inconsistent,
        ]
        #expect(answers.map(\.status) == [200, 400, 403, 404, 409, 422])
        #expect(answers.map(\.body) == [signature.line, [], [], [], Array("18446744073709551615\n".utf8), []])
        #expect(answers.filter { $0.contentType == WitnessAnswer.sizeType } == [.conflict(size: .max)])
        #expect(try WitnessAnswer.size(answers[4].body) == .max)
        for text in ["", "5", "05\n", "5\n\n", "5\n6\n", " 5\n", "18446744073709551616\n", "5\n" + String(repeating: " ", count: 40)] {
            #expect(refusal { _ = try WitnessAnswer.size(Array(text.utf8)) } == .malformedRequest)
        }
        #expect(try NoteSignature.lines(signature.line + signature.line).count == 2)
        for bytes in [[], Array(signature.line.dropLast()), signature.line + [0x0a], [0x0a] + signature.line] {
            #expect(refusal { _ = try NoteSignature.lines(bytes) } == .malformedRequest)
        }
    }

    private static let forms: [[String]] = [
        ["old 7\n", "old 07\n"], ["old 7\n", "old +7\n"], ["old 7\n", "old 7 \n"], ["old 7\n", "Old 7\n"], ["old 7\n", "old 7\r\n"],
        ["old 7\n", "7\n"],
        ["old 7\n", "old \n"], ["old 7\n", "old 7\nAAAA\n"], ["=\n", "\n"], ["old 7\n", ""], ["old 7\n", "old 18446744073709551616\n"],
    ]

    @Test("takes no other form of a request", arguments: Self.forms)
    func otherForms(form: [String]) throws {
        let body = String(decoding: try request(7, 9).bytes, as: UTF8.self)
        #expect(
            refusal { _ = try CheckpointSubmission(Array(body.replacing(form[0], with: form[1], maxReplacements: 1).utf8)) }
                == .malformedRequest)
    }

    @Test("takes at most 63 hashes, and a note of a checkpoint")
    func limits() throws {
        let most = try request(7, 9, proof: Array(repeating: tree.root(1), count: 63))
        #expect(try CheckpointSubmission(most.bytes) == most)
        #expect(refusal { _ = try request(7, 9, proof: Array(repeating: tree.root(1), count: 64)) } == .tooLong)
        let line = Array("\(Base64.encode(tree.root(1).bytes))\n".utf8)
        var long = most.bytes
        long.insert(contentsOf: line, at: 6)
        #expect(refusal { _ = try CheckpointSubmission(long) } == .malformedRequest)
        let text = Array("no checkpoint\n".utf8)
        let note = try SignedNote(text: text, signatures: [try log.sign(text)])
        #expect(refusal { _ = try CheckpointSubmission(Array("old 7\n\n".utf8) + note.bytes) } == .malformedCheckpoint)
        #expect(refusal { _ = try CheckpointSubmission(Array("old 7\n\nx\n".utf8)) } == .malformedNote)
        #expect(refusal { _ = try CheckpointSubmission(Array(repeating: 0x41, count: 1_100_000)) } == .tooLong)
    }
}
