import CaptureProtocol
import Crypto
import Foundation
import Synchronization

@testable import TransparencyLog
@testable import TransparencyLogService

/// A witness in memory, which decides as the module's does, or misbehaves as a test says. What it is shown it remembers: it is the watcher
/// from outside.
final class TestWitness: WitnessConnection {
    enum Behaviour: Sendable {
        case honest, unreachable, hanging
        /// Answers this and changes nothing.
        case answers(WitnessReply)
        /// Cosigns so many seconds from now.
        case clock(Int)
        /// Signs with another key under its own name and id.
        case falseSignature
    }

    private struct State {
        var behaviour = Behaviour.honest
        var latest: TreeHead?
        var seen: [TreeHead] = []
        var requests = 0
    }

    let witness: TrustedWitness
    private let signer: SignerKey
    private let cosigner: CheckpointWitness
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(_ name: String, log: VerifierKey, now: @escaping @Sendable () -> Date) throws {
        signer = try SignerKey(name: TextLine("witness.example/\(name)")!, kind: .witness, seed: TestKeys.seed(name))
        cosigner = try CheckpointWitness(signer: signer, logs: [log])
        witness = TrustedWitness(name: Array(name.utf8), key: signer.verifier, url: nil)
        self.now = now
    }

    var latest: TreeHead? { state.withLock { $0.latest } }
    /// Every tree that it was shown under the log's signature.
    var seen: [TreeHead] { state.withLock { $0.seen } }
    var requests: Int { state.withLock { $0.requests } }
    func behave(_ behaviour: Behaviour) { state.withLock { $0.behaviour = behaviour } }
    func forget(to head: TreeHead? = nil) { state.withLock { $0.latest = head } }

    func add(_ submission: CheckpointSubmission) async throws -> WitnessReply {
        let behaviour = state.withLock { state in
            state.requests += 1
            state.seen.append(submission.checkpoint.head)
            return state.behaviour
        }
        switch behaviour {
        case .honest: return try reply(submission, seconds: 0)
        case .clock(let seconds): return try reply(submission, seconds: seconds)
        case .unreachable: throw CancellationError()
        case .answers(let reply): return reply
        case .hanging:
            try await Task.sleep(for: .seconds(60))
            throw CancellationError()
        case .falseSignature:
            let other = try SignerKey(name: signer.verifier.name, kind: .witness, seed: TestKeys.seed("other"))
            let cosigned = try other.cosign(submission.note.text, at: UInt64(now().timeIntervalSince1970))
            return WitnessReply(status: 200, body: NoteSignature(key: signer.verifier, signature: cosigned.signature).line)
        }
    }

    private func reply(_ submission: CheckpointSubmission, seconds: Int) throws -> WitnessReply {
        try state.withLock { state in
            let time = UInt64(Int(now().timeIntervalSince1970) + seconds)
            let answer = try cosigner.answer(submission, latest: state.latest, at: time)
            if case .cosigned(_, _, let head) = answer { state.latest = head }
            return WitnessReply(status: answer.status, body: answer.body)
        }
    }
}

enum TestKeys {
    static func seed(_ name: String) -> [UInt8] { Array(SHA256.hash(data: Array("rial test \(name)".utf8))) }
}

/// A log's key from a seed.
struct TestSigner: CheckpointSigner {
    let key: SignerKey
    var publicKey: [UInt8] { key.verifier.publicKey }
    func sign(_ text: [UInt8]) async throws -> [UInt8] { try key.sign(text).signature }
}
