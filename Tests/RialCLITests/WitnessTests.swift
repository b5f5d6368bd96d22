import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("A witness", .enabled(if: WitnessProcess.isBuilt, "\(WitnessProcess.need)"))
struct WitnessTests {
    private static func key() throws -> SignerKey { try PublishedLog.signer("rial.example/log/2026", .log) }
    private static func name(_ key: VerifierKey) -> String { ContentDigest(of: key.name.bytes).hex }

    @Test(
        "answers another witness's transcript as the specification says",
        .enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func transcript() async throws {
        let data = try SharedData.data("tlog/witness-requests.json")
        let transcript = try JSONDecoder().decode(WitnessTranscript.self, from: data)
        #expect(transcript.requests.count == 9)
        let log = try VerifierKey(transcript.log)
        let witness = try WitnessProcess(logs: [log])
        defer { witness.end() }
        try await witness.start()
        #expect(try await witness.get("\(Self.name(log))/checkpoint").status == 404)
        var cosigned: SignedNote?
        for request in transcript.requests {
            let reply = try await witness.post(Array(request.body.utf8))
            #expect(reply.status == request.status, "\(request.name)")
            switch reply.status {
            case 200:
                let note = try CheckpointSubmission(Array(request.body.utf8)).note.adding(NoteSignature.lines(reply.body))
                #expect(try note.verified(by: [witness.key.verifier]).count == 1)
                cosigned = note.reduced(to: [log, witness.key.verifier])
            case 409:
                #expect(reply.type == "text/x.tlog.size")
                if let answer = request.answer { #expect(reply.text == answer) }
            default: break
            }
        }
        let monitored = try await witness.get("\(Self.name(log))/checkpoint")
        #expect(monitored.status == 200 && monitored.body == cosigned?.bytes)
    }

    @Test("refuses a fork, and keeps both notes of two trees of one size")
    func fork() async throws {
        let key = try Self.key()
        let (log, other) = (GrowingLog(20, key: key), GrowingLog(20, key: key, salt: "other"))
        let witness = try WitnessProcess(logs: [key.verifier])
        defer { witness.end() }
        try await witness.start()
        #expect(try await witness.post(log.request(from: 0, to: 10)).status == 200)
        #expect(try await witness.post(other.request(from: 10, to: 15)).status == 422)
        #expect(try await witness.post(other.request(from: 0, to: 15)).status == 409)
        #expect(try await witness.post(other.request(from: 10, to: 10)).status == 422)
        // The same checkpoint again is cosigned again.
        #expect(try await witness.post(log.request(from: 10, to: 10)).status == 200)
        let name = Self.name(key.verifier)
        let kept = try ["fork-1", "fork-2"].map { part in
            try SignedNote(Array(try Data(contentsOf: witness.store.appendingPathComponent("\(name).\(part)"))))
        }
        for note in kept { #expect(try note.verified(by: [key.verifier]).count == 1) }
        let sizes = try kept.map { try Checkpoint(text: $0.text).size }
        #expect(sizes == [10, 10] && kept[0].text != kept[1].text)
        let code = witness.stop()
        #expect(code == 0)
    }

    @Test("refuses what is too large, slow or no request, and other routes")
    func refusals() async throws {
        let key = try Self.key()
        let witness = try WitnessProcess(logs: [key.verifier])
        defer { witness.end() }
        try await witness.start()
        #expect(try await witness.post(Array(repeating: 0x61, count: WitnessServer.maximumBodyBytes + 1)).status == 413)
        for body in ["", "old 0\n", "old 00\n\nx\n", "\r\n"] {
            #expect(try await witness.post(Array(body.utf8)).status == 400)
        }
        #expect(try await witness.post([0xff, 0xfe]).status == 400)
        #expect(try await witness.get("add-checkpoint").status == 404)
        #expect(try await witness.get("../checkpoint").status == 404)
        #expect(try await witness.get("\(Self.name(key.verifier).uppercased())/checkpoint").status == 404)
    }

    @Test("loses no update under 40 racing requests")
    func races() async throws {
        let key = try Self.key()
        let log = GrowingLog(2000, key: key)
        let witness = try WitnessProcess(logs: [key.verifier])
        defer { witness.end() }
        try await witness.start()
        let steps = SharedValue<[(old: Int, new: Int)]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(number) + 1)
                    var size = 0
                    for _ in 0..<25 {
                        let new = min(log.largest, size + Int.random(in: 1...40, using: &generator))
                        let reply = try await witness.post(log.request(from: size, to: new))
                        if reply.status == 200 {
                            steps.withLock { $0.append((size, new)) }
                            size = new
                        } else {
                            #expect(reply.status == 409)
                            size = Int(try WitnessAnswer.size(reply.body))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // Each cosigned tree goes on from the one that was cosigned before it.
        let growing = steps.withLock { $0 }.filter { $0.old < $0.new }.sorted { $0.old < $1.old }
        #expect(growing.count > 10)
        #expect(zip(growing, growing.dropFirst()).allSatisfy { $0.new == $1.old })
        let last = try await witness.post(log.request(from: 0, to: 1))
        #expect(last.status == 409)
        let size = Int(try WitnessAnswer.size(last.body))
        #expect(size == growing.last?.new)
    }

    @Test("killed at any moment, never knows less than it has cosigned")
    func kills() async throws {
        let key = try Self.key()
        let log = GrowingLog(3000, key: key)
        let witness = try WitnessProcess(logs: [key.verifier])
        defer { witness.end() }
        var generator = SeededGenerator(seed: 7)
        let answered = SharedValue(0)
        for round in 0..<12 {
            try await witness.start()
            let known = try await Self.size(witness, log)
            #expect(known >= answered.withLock { $0 }, "round \(round)")
            let wait = Duration.milliseconds(Int.random(in: 0...120, using: &generator))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var size = known
                        for step in 1...200 where size + 1 < log.largest {
                            let new = size + 1 + (number + step) % 3
                            guard let reply = try? await witness.post(log.request(from: size, to: new)) else { return }
                            if reply.status == 200 {
                                answered.withLock { $0 = max($0, new) }
                                size = new
                            } else if let told = try? WitnessAnswer.size(reply.body) {
                                size = Int(told)
                            }
                        }
                    }
                }
                try? await Task.sleep(for: wait)
                // At last on a slow machine, too.
                if round == 11 { try? await eventually("something is cosigned") { answered.withLock { $0 > 0 } } }
                witness.kill()
            }
        }
        try await witness.start()
        let known = try await Self.size(witness, log)
        #expect(known >= answered.withLock { $0 } && known > 0)
        #expect(try await witness.post(log.request(from: known, to: known + 1)).status == 200)
    }

    private static func size(_ witness: WitnessProcess, _ log: GrowingLog) async throws -> Int {
        let monitored = try await witness.get("\(name(log.key.verifier))/checkpoint")
        guard monitored.status == 200 else { return 0 }
        let note = try SignedNote(monitored.body)
        let size = Int(try Checkpoint(text: note.text).size)
        let signed = try log.note(size)
        #expect(note.text == signed.text)
        let signatures = try note.verified(by: [witness.key.verifier, log.key.verifier])
        #expect(signatures.count == 2)
        let reply = try await witness.post(log.request(from: 0, to: 1))
        let told = Int(try WitnessAnswer.size(reply.body))
        #expect(reply.status == 409 && told == size)
        return size
    }

    @Test("keeps logs apart, and refuses a store that is damaged, another key's, or in use")
    func stores() async throws {
        let keys = try ["a.example/log", "b.example/log"].map { try PublishedLog.signer($0, .log) }
        let witness = try WitnessProcess(logs: keys.map(\.verifier))
        defer { witness.end() }
        try await witness.start()
        for (key, size) in zip(keys, [5, 7]) {
            #expect(try await witness.post(GrowingLog(9, key: key).request(from: 0, to: size)).status == 200)
        }
        let second = try WitnessProcess(logs: keys.map(\.verifier))
        defer { second.end() }
        try FileManager.default.createSymbolicLink(at: second.store, withDestinationURL: witness.store)
        await #expect(throws: CommandFailure.self) { try await second.start() }
        #expect(second.log.contains("Another process"))
        witness.kill()
        let file = witness.store.appendingPathComponent(Self.name(keys[0].verifier))
        let kept = try Data(contentsOf: file)
        try Data(contentsOf: witness.store.appendingPathComponent(Self.name(keys[1].verifier))).write(to: file)
        await #expect(throws: CommandFailure.self) { try await witness.start() }
        #expect(witness.log.contains("a witness that forgets"))
        try kept.write(to: file)
        let foreign = Data("\(keys[0].verifier)\n".utf8)
        try foreign.write(to: witness.store.appendingPathComponent("key"))
        await #expect(throws: CommandFailure.self) { try await witness.start() }
        #expect(witness.log.contains("another witness's key"))
    }
}
