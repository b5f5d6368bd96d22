import CaptureProtocol
import Foundation
import Logging
import ObjectStorage
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

/// A log in memory: rows, store, key, witnesses, and a clock that a test moves.
final class LogRig: Sendable {
    static let start = Date(timeIntervalSince1970: 1_793_534_400)
    let log = MemoryLog()
    let store = MemoryObjectStore()
    let key: SignerKey
    let witnesses: [TestWitness]
    let policy: TrustPolicy
    private let released = Mutex<[TreeHead]>([])

    init(witnesses names: [String] = ["w1", "w2", "w3"], quorum: Int = 2) throws {
        key = try SignerKey(name: TextLine("rial.example/log/2026")!, kind: .log, seed: TestKeys.seed("log"))
        let box = ClockBox()
        self.box = box
        let key = key.verifier
        witnesses = try names.map { try TestWitness($0, log: key, now: { box.now }) }
        var text = "log \(key)\n"
        for witness in witnesses { text += "witness \(String(decoding: witness.witness.name, as: UTF8.self)) \(witness.witness.key)\n" }
        if names.isEmpty {
            text += "quorum none\n"
        } else {
            text += "group enough \(quorum) \(names.joined(separator: " "))\nquorum enough\n"
        }
        policy = try TrustPolicy(Array(text.utf8))
        log.open(key, shard: "2026", at: Self.start)
    }

    /// Shared with the witnesses.
    let box: ClockBox

    func advance(_ seconds: TimeInterval) { box.advance(seconds) }
    var now: Date { box.now }
    var origin: TextLine { key.verifier.name }
    var objects: LogObjects { LogObjects(store, shard: "2026") }

    func sequencer(
        limit: Int = 4096, timeout: Duration = .seconds(30),
        reached: @escaping @Sendable (SequencerPoint) async throws -> Void = { _ in }
    ) -> Sequencer {
        let box = box
        let panel = WitnessPanel(
            policy: policy, connections: witnesses, timeout: timeout, now: { box.now }, logger: .quiet)
        return Sequencer(
            repository: log, store: store, signer: TestSigner(key: key), panel: panel, limits: Sequencer.Limits(batch: limit),
            now: { box.now }, reached: reached, logger: .quiet)
    }

    /// Of long before ``start``.
    static func leaf(_ number: Int) -> LogLeaf { stated(number, at: Date(timeIntervalSince1970: TimeInterval(1_700_000_000 + number))) }

    static func stated(_ number: Int, at time: Date) -> LogLeaf {
        let digest = ContentDigest(of: Array("statement \(number)".utf8))
        return .entry(
            kind: .assessment, time: Int(time.timeIntervalSince1970), subject: LogSubject(bytes: digest.bytes.prefix(16))!,
            commitment: digest)
    }

    func add(_ numbers: some Sequence<Int>) { for number in numbers { log.add(Self.leaf(number), at: now) } }

    /// Turns until nothing is due, a second each; a halt or an error ends it.
    @discardableResult
    func drain(_ sequencer: Sequencer, turns: Int = 50) async throws -> SequencerTurn {
        var last = SequencerTurn.idle
        for _ in 0..<turns {
            advance(1)
            last = try await sequencer.turn()
            watch()
            switch last {
            case .published: continue
            case .idle where !log.rows.pending.contains { $0.dueAt <= now }: return last
            case .idle: continue
            case .standby, .noShard, .foreignKey, .frozen: return last
            }
        }
        return last
    }

    /// Remembers what anyone can read by now.
    func watch() {
        guard let bytes = store.bytes(objects.checkpointKey), let checkpoint = try? Checkpoint(text: SignedNote(bytes).text) else { return }
        released.withLock { $0.append(checkpoint.head) }
    }

    /// Everything that ever left the process is a prefix of the final tree; each of the statements is in it once, and was announced.
    func expectSound(_ numbers: some Collection<Int>, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        watch()
        let rows = log.rows
        let leaves = rows.entries[origin] ?? []
        let shard = try #require(rows.shards.first, sourceLocation: sourceLocation)
        #expect(shard.freeze == nil, sourceLocation: sourceLocation)
        #expect(shard.publishedSize == UInt64(leaves.count) && shard.head.size == shard.publishedSize, sourceLocation: sourceLocation)
        let entered = leaves.dropFirst().map { Array($0) }
        #expect(entered.count == numbers.count && Set(entered) == Set(numbers.map { Self.leaf($0).bytes }), sourceLocation: sourceLocation)
        #expect(Set(rows.announced) == rows.commitments, sourceLocation: sourceLocation)
        var roots = [MerkleHash.empty]
        var frontier = MerkleFrontier()
        for leaf in leaves {
            frontier.append(MerkleHash.leaf(leaf))
            roots.append(frontier.root)
        }
        for head in released.withLock({ $0 }) + witnesses.flatMap(\.seen) {
            #expect(head.size < roots.count && roots[Int(head.size)] == head.root, "\(head.size) leaves", sourceLocation: sourceLocation)
        }
        let published = try #require(
            store.bytes(objects.checkpointKey).flatMap { PublishedCheckpoint($0, of: shard) }, sourceLocation: sourceLocation)
        #expect(published.head == shard.head, sourceLocation: sourceLocation)
        // The whole tree is in the store.
        for tile in Tile.added(from: 0, to: shard.head.size) {
            switch tile.kind {
            case .entries:
                let entries = try await objects.entries(of: tile)
                let start = Int(tile.index << 8)
                #expect(entries == Array(leaves[start..<start + tile.width]), "\(tile)", sourceLocation: sourceLocation)
            case .hashes: #expect(try await objects.hashes(of: tile) != nil, "\(tile)", sourceLocation: sourceLocation)
            }
        }
        #expect(try await TreeReader(objects: objects).root(size: shard.head.size) == shard.head.root, sourceLocation: sourceLocation)
    }
}

/// A time that a test moves.
final class ClockBox: Sendable {
    private let time = Mutex(LogRig.start)
    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }
}

/// The process ends here.
struct Killed: Error {}

/// Fires once, at the n-th time that a point is reached.
final class Trigger: Sendable {
    private let left: Mutex<Int>
    let point: SequencerPoint

    init(_ point: SequencerPoint, at time: Int) {
        self.point = point
        left = Mutex(time)
    }

    var isSpent: Bool { left.withLock { $0 <= 0 } }

    func fires(at reached: SequencerPoint) -> Bool {
        guard reached == point else { return false }
        return left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}

/// Chances that are the same in every run.
final class Dice: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func isOne(of sides: Int) -> Bool { generator.withLock { Int.random(in: 0..<sides, using: &$0) == 0 } }
}

/// Whether something is over.
final class Latch: Sendable {
    private let state = Mutex(false)
    var isOpen: Bool { state.withLock { $0 } }
    func open() { state.withLock { $0 = true } }
}
