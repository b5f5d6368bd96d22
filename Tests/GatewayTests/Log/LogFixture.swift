import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

/// A log with its tiles in a store, three witnesses of which two are a quorum, and the captures of which it speaks.
struct LogFixture {
    static let name = "2026"
    static let time = 1_793_534_402
    let store = MemoryObjectStore()
    let origin = TextLine("rial.test/log/2026")!
    let key: SignerKey
    let witnesses: [SignerKey]
    let policy: TrustPolicy
    private(set) var leaves: [[UInt8]] = []
    private(set) var reading = MemoryLogReading()

    init() throws {
        let origin = self.origin
        let seed: (String) -> [UInt8] = { ContentDigest(of: Array($0.utf8)).bytes }
        key = try SignerKey(name: origin, kind: .log, seed: seed("log"))
        witnesses = try (1...3).map { number in
            try SignerKey(name: try #require(TextLine("witness.test/\(number)")), kind: .witness, seed: seed("\(number)"))
        }
        let lines = witnesses.enumerated().map { "witness w\($0) \($1.verifier)\n" }.joined()
        policy = try TrustPolicy(Array("log \(key.verifier)\n\(lines)group ours 2 w0 w1 w2\nquorum ours\n".utf8))
    }

    /// Enters leaves of nobody's.
    mutating func fill(to size: Int) {
        while leaves.count < size { leaves.append(Array("rial.leaf/1\n\(leaves.count)\n".utf8)) }
    }

    /// Keeps a statement and, unless it is to wait, enters it.
    mutating func add(_ stored: StoredStatement, isEntered: Bool = true) {
        reading.stored.append((stored, isEntered ? UInt64(leaves.count) : nil))
        if isEntered { leaves.append(stored.statement.leaf(salt: stored.salt).bytes) }
    }

    /// Publishes all entries, with the tiles that this makes.
    mutating func publish(isFrozen: Bool = false) async throws {
        let size = UInt64(leaves.count)
        for tile in Tile.added(from: reading.shard?.size ?? 0, to: size) {
            let first = Int(tile.index) << 8
            let bytes =
                tile.kind == .entries
                ? try EntryBundle(entries: Array(leaves[first..<first + tile.width])).bytes
                : Tile.bytes(of: Array(hashes(tile.kind.level)[first..<first + tile.width]))
            try await store.put(Self.key(tile), bytes: bytes, contentType: "application/octet-stream")
        }
        reading.shard = PublishedShard(origin: origin.text, name: Self.name, size: size, isFrozen: isFrozen)
    }

    /// A checkpoint of all entries.
    /// - Parameter witnesses: their numbers, each of which signs so many seconds after ``time``.
    mutating func cosign(by witnesses: [Int], token: [UInt8]? = nil) throws {
        let text = Checkpoint(origin: origin, head: head).text
        let signatures = try [key.sign(text)] + witnesses.map { try self.witnesses[$0].cosign(text, at: UInt64(Self.time + $0 + 1)) }
        reading.cosigned.append(
            CosignedCheckpoint(size: UInt64(leaves.count), note: try SignedNote(text: text, signatures: signatures), token: token))
    }

    mutating func freeze() { reading.state = .frozen }
    mutating func own(_ parts: OwnedParts) { reading.parts = parts }

    var head: TreeHead { TreeHead(size: UInt64(leaves.count), root: MerkleHash.root(ofLeaves: leaves.map { MerkleHash.leaf($0) })) }
    var tiles: LogTiles { LogTiles(store: store) }
    var finder: CheckpointFinder { CheckpointFinder(log: reading, policy: policy) }
    static func key(_ tile: Tile) -> String { "log/\(name)/\(tile.path)" }

    /// The roots of the complete subtrees of 256^level leaves.
    private func hashes(_ level: Int) -> [ContentDigest] {
        guard level > 0 else { return leaves.map { MerkleHash.leaf($0) } }
        let below = hashes(level - 1)
        return stride(from: 0, to: below.count / 256 * 256, by: 256).map { MerkleHash.root(ofLeaves: below[$0..<$0 + 256]) }
    }
}

/// What PostgreSQL would say.
struct MemoryLogReading: LogReading {
    var stored: [(statement: StoredStatement, index: UInt64?)] = []
    var cosigned: [CosignedCheckpoint] = []
    var shard: PublishedShard?
    var state = LogIntake.open
    var parts: OwnedParts?

    func statements(of capture: CaptureID) async -> [StoredStatement] { stored.map(placed) }
    func last(of capture: CaptureID) async -> PlacedStatement? { stored.last.map { placed($0).placed } }
    func intake() async -> LogIntake { state }
    func owned(_ capture: CaptureID) async -> OwnedParts? { parts }
    func published(shard name: String) async -> PublishedShard? { shard.flatMap { $0.name == name && $0.size > 0 ? $0 : nil } }

    func checkpoints(_ search: CheckpointSearch) async -> [CosignedCheckpoint] {
        let found = cosigned.filter { checkpoint in
            checkpoint.size > search.index && (!search.isStamped || checkpoint.token != nil)
                && (!search.isCosigned || checkpoint.note.signatures.count > 1)
        }.sorted { $0.size < $1.size }
        return Array((search.isNewestFirst ? found.reversed() : found).prefix(search.limit))
    }

    private func placed(_ entry: (statement: StoredStatement, index: UInt64?)) -> StoredStatement {
        let place = entry.index.flatMap { index in shard.map { LogPlace(shard: $0, index: index) } }
        let placed = PlacedStatement(kind: entry.statement.placed.kind, notBefore: entry.statement.placed.notBefore, place: place)
        return StoredStatement(
            placed: placed, statement: entry.statement.statement, salt: entry.statement.salt, evidence: entry.statement.evidence,
            raw: entry.statement.raw)
    }
}

/// Published objects, where a test needs no more of the captures.
typealias MemoryMedia = MemoryVerifications
