import CaptureProtocol
import Foundation
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@testable import ObjectStorage

/// Who follows the stack's log from outside: keeps every checkpoint that log or witnesses show, and runs `rial log monitor` all the time.
final class LogWatch: Sendable {
    let stack: LocalStack
    /// Where the log is published; ends in a slash.
    let prefix: String
    private let policy: TrustPolicy
    private let origin: TextLine
    private let seen = Mutex<Set<Checkpoint>>([])
    private let looks = Mutex<[MortalCommand.End]>([])

    init(_ stack: LocalStack) throws {
        self.stack = stack
        prefix = try #require(stack.addresses["RIAL_LOG_PREFIX"])
        policy = try TrustPolicy(Array(try Data(contentsOf: URL(fileURLWithPath: stack.policy()))))
        origin = try #require(policy.logs.first).key.name
    }

    /// The log's folder in the store, `log/{shard}/`.
    var folder: String { "log/" + (URL(string: prefix)?.lastPathComponent ?? "") + "/" }

    /// Looks all the time while `work` runs.
    func during<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        let places =
            [prefix + "checkpoint"] + policy.witnesses.compactMap(\.url).map { $0 + ContentDigest(of: origin.bytes).hex + "/checkpoint" }
        let looking: [@Sendable () async -> Void] = places.map { place in { await self.look(at: place) } }
        return try await repeating(looking + [{ await self.monitorAgain() }], every: .milliseconds(50)) {
            let result = try await work()
            // Short work may end before the monitor's first look has.
            try await eventually("the monitor has looked") { !self.looks.withLock { $0.isEmpty } }
            return result
        }
    }

    /// One state for all that is tried with the stack: what was seen once is not forgotten.
    private var state: String { stack.failPoints.appendingPathComponent("monitor").path }

    private func monitorAgain() async {
        // It is killed at the end, wherever it is.
        guard let end = try? await monitor(state: state), !end.wasKilled else { return }
        looks.withLock { $0.append(end) }
    }

    /// Runs `rial log monitor --once`.
    func monitor(state: String, _ more: String...) async throws -> MortalCommand.End {
        let arguments = ["log", "monitor", prefix, "--policy", try stack.policy(), "--state", state, "--once"]
        return try await MortalCommand(program: Phone.program, arguments: arguments + more, settings: [:]).run(killedAfter: nil)
    }

    private func look(at place: String) async {
        do {
            if let found = try await checkpoint(at: place) { seen.withLock { _ = $0.insert(found) } }
        } catch let error as TransparencyLogError {
            Issue.record("\(place): \(error.message)")
        } catch {
            // It is away.
        }
    }

    /// What the log signed; `nil` if there is nothing at the moment.
    private func checkpoint(at place: String) async throws -> Checkpoint? {
        let answer = try await TestClient(url: place).send("GET", "")
        return answer.status == 200 ? try policy.validate(SignedNote(answer.body)).checkpoint : nil
    }

    /// Expects that within a minute every statement is in the log, once; that whatever was signed, or seen outside, is what the log begins
    /// with; and that the monitor never found anything wrong.
    /// - Parameters:
    ///   - hidden: whether there were times at which the log could not be read.
    ///   - lost: how many entered statements the database has lost.
    func expectSound(hidden: Bool = false, lost: Int = 0, _ what: String = "") async throws {
        let last = try await settled()
        var frontier = MerkleFrontier()
        var roots: [TreeNode: ContentDigest] = [:]
        var commitments: [String] = []
        for tile in Tile.added(from: 0, to: last.size) where tile.kind == .entries {
            for entry in try EntryBundle(await TestClient(url: prefix).send("GET", tile.path).body, of: tile).entries {
                frontier.append(MerkleHash.leaf(entry)) { roots[$0] = $1 }
                if case .entry(_, _, _, let commitment) = try LogLeaf(bytes: entry) { commitments.append(commitment.hex) }
            }
        }
        #expect(frontier.head == last.head, "\(what)")
        let statements = try await stack.sql("SELECT encode(commitment, 'hex') FROM statements")
        #expect(Set(commitments).isSuperset(of: statements) && Set(commitments).count == commitments.count, "\(what)")
        #expect(commitments.count == statements.count + lost, "\(what)")
        let seen = seen.withLock { $0 }
        #expect(seen.count > 1, "\(what)")
        for old in seen.union(try await signed()) {
            let proof = try ConsistencyProof(from: old.size, to: last.size) { try #require(roots[$0]) }
            #expect(proof.proves(old.head, isPrefixOf: last.head), "\(old.size) leaves, \(what)")
        }
        let looks = looks.withLock { $0 }
        #expect(looks.contains { $0.status == 0 }, "the monitor looked at least once, \(what)")
        for look in looks { #expect(look.status == 0 || hidden && look.status == 2, "\(look.output) \(what)") }
        let whole = try await monitor(state: state, "--rehash", "0")
        #expect(whole.status == 0 && whole.output.contains("sound: \(origin), \(last.size) entries"), "\(whole.output) \(what)")
        #expect(try stack.isRunning("monitor"), "the stack's own monitor ended \(what)")
    }

    /// The published checkpoint, once it has all statements, and `evidence-assembler` knows of each where it is.
    private func settled() async throws -> Checkpoint {
        try await eventually("the log has every statement") {
            let frozen = try await stack.sql("SELECT frozen_reason || ': ' || frozen_detail FROM log_shards WHERE frozen_at IS NOT NULL")
            guard frozen.isEmpty else { throw Frozen(reasons: frozen) }
            return try await stack.sql(
                """
                SELECT (SELECT count(*) FROM statements WHERE leaf_index IS NULL) + (SELECT sum(size - published_size) FROM log_shards)
                """) == ["0"]
        }
        let size = try await stack.sql("SELECT published_size FROM log_shards").first
        var last: Checkpoint?
        try await eventually("the published checkpoint is served") {
            last = try await checkpoint(at: prefix + "checkpoint")
            return last.map { "\($0.size)" } == size
        }
        return try #require(last)
    }

    private struct Frozen: Error { let reasons: [String] }

    /// The newest hundred trees that were ever signed: each signature is stored before it leaves the process.
    func signed() async throws -> [Checkpoint] {
        let store = try stack.storage()
        var heads: [Checkpoint] = []
        for object in try await store.list(prefix: folder + "heads/").objects {
            heads.append(try policy.validate(SignedNote(await store.getBytes(object.key, limit: 1 << 20))).checkpoint)
        }
        #expect(!heads.isEmpty)
        return heads
    }
}
