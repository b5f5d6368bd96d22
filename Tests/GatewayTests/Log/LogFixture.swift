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

    /// - Parameter isOpened: false before the first shard is.
    init(isOpened: Bool = true) throws {
        let origin = self.origin
        if isOpened { reading.shard = PublishedShard(origin: origin.text, name: Self.name, size: 0, isFrozen: false) }
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
        reading.stored.append((stored, nil))
        if isEntered { enter(reading.stored.count - 1) }
    }

    /// Enters the statements that wait.
    mutating func enter() {
        for number in reading.stored.indices where reading.stored[number].index == nil { enter(number) }
    }

    private mutating func enter(_ number: Int) {
        let stored = reading.stored[number].statement
        reading.stored[number].index = UInt64(leaves.count)
        leaves.append(stored.statement.leaf(salt: stored.salt).bytes)
    }

    /// Publishes all entries, with the tiles that this makes.
    mutating func publish() async throws {
        let size = UInt64(leaves.count)
        for tile in Tile.added(from: reading.shard?.size ?? 0, to: size) {
            let first = Int(tile.index) << 8
            let bytes =
                tile.kind == .entries
                ? try EntryBundle(entries: Array(leaves[first..<first + tile.width])).bytes
                : Tile.bytes(of: Array(hashes(tile.kind.level)[first..<first + tile.width]))
            try await store.put(Self.key(tile), bytes: bytes, contentType: "application/octet-stream")
        }
        reading.shard = PublishedShard(origin: origin.text, name: Self.name, size: size, isFrozen: reading.shard?.isFrozen ?? false)
    }

    /// A checkpoint of all entries.
    /// - Parameters:
    ///   - witnesses: their numbers. The log keeps the signatures in the order of their times, whoever comes first here.
    ///   - later: how many seconds later than usual they sign. The token is made with the first signature that may be.
    mutating func cosign(by witnesses: [Int], later: UInt64 = 0, token: [UInt8]? = nil) throws {
        let text = Checkpoint(origin: origin, head: head).text
        let signatures = try [key.sign(text)] + cosignatures(of: text, by: witnesses, later)
        let size = UInt64(leaves.count)
        reading.cosigned.append(CosignedCheckpoint(size: size, note: try SignedNote(text: text, signatures: signatures), token: token))
        if token != nil { reading.stampedAt[size] = Date(timeIntervalSince1970: TimeInterval(Self.seconds(0) + later)) }
    }

    /// Witnesses of the checkpoint of all entries cosign it again.
    mutating func renew(by witnesses: [Int], later: UInt64) throws {
        reading.renewed[UInt64(leaves.count)] = try cosignatures(of: Checkpoint(origin: origin, head: head).text, by: witnesses, later)
    }

    private func cosignatures(of text: [UInt8], by witnesses: [Int], _ later: UInt64) throws -> [NoteSignature] {
        try witnesses.sorted().map { try self.witnesses[$0].cosign(text, at: Self.seconds($0) + later) }
    }

    /// When a witness signs, which is so many seconds after ``time``.
    static func seconds(_ witness: Int) -> UInt64 { UInt64(time + witness + 1) }

    mutating func freeze() {
        reading.shard = reading.shard.map { PublishedShard(origin: $0.origin, name: $0.name, size: $0.size, isFrozen: true) }
    }

    /// Closes the shard, of which everything has to be published. One that is frozen is given up.
    mutating func close() { reading.isClosed = true }
    /// Keeps what only the owner of a capture gets.
    mutating func own(_ parts: OwnedParts, of capture: CaptureID) { reading.parts[capture] = parts }
    mutating func withdraw(_ capture: CaptureID) { reading.withdrawn.insert(capture) }

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

/// What PostgreSQL would say of a log with one shard.
struct MemoryLogReading: LogReading {
    var stored: [(statement: StoredStatement, index: UInt64?)] = []
    /// Of published trees.
    var cosigned: [CosignedCheckpoint] = []
    /// By the sizes of their checkpoints.
    var renewed: [UInt64: [NoteSignature]] = [:]
    var stampedAt: [UInt64: Date] = [:]
    /// `nil` before it is opened.
    var shard: PublishedShard?
    var isClosed = false
    var parts: [CaptureID: OwnedParts] = [:]
    var withdrawn: Set<CaptureID> = []

    func statements(of capture: CaptureID) async -> [StoredStatement] { stated(of: capture).map(placed) }
    func last(of capture: CaptureID) async -> PlacedStatement? { stated(of: capture).last.map { placed($0).placed } }
    func owned(_ capture: CaptureID) async -> OwnedParts? { withdrawn.contains(capture) ? nil : parts[capture] }

    func intake() async -> LogIntake {
        guard let shard, !isClosed else { return .closed }
        return shard.isFrozen ? .frozen : .open
    }

    func published(shard name: String) async -> PublishedShard? { told.flatMap { $0.name == name && $0.size > 0 ? $0 : nil } }

    /// Only an open one stands still.
    private var told: PublishedShard? {
        shard.map { PublishedShard(origin: $0.origin, name: $0.name, size: $0.size, isFrozen: $0.isFrozen && !isClosed) }
    }

    func checkpoints(_ search: CheckpointSearch) async -> [CosignedCheckpoint?] {
        guard search.origin == shard?.origin else { return [] }
        let found = cosigned.map { counted($0, since: search.notBefore) }.filter { checkpoint in
            checkpoint.size > search.index && (!search.isStamped || checkpoint.token != nil)
                && (!search.isCosigned || checkpoint.note.signatures.count > 1)
        }.sorted { $0.size < $1.size }
        return Array((search.isNewestFirst ? found.reversed() : found).prefix(search.limit))
    }

    /// A checkpoint without what is of before.
    private func counted(_ checkpoint: CosignedCheckpoint, since time: Date) -> CosignedCheckpoint {
        let renewed = self.renewed[checkpoint.size] ?? []
        let signatures = checkpoint.note.signatures.dropFirst().compactMap { first -> NoteSignature? in
            let both = [first] + renewed.filter { $0.name == first.name && $0.id == first.id }
            return both.first { $0.cosignedAt >= time }
        }
        let note = try? SignedNote(text: checkpoint.note.text, signatures: Array(checkpoint.note.signatures.prefix(1)) + signatures)
        let isStamped = stampedAt[checkpoint.size].map { $0 >= time } ?? false
        return CosignedCheckpoint(size: checkpoint.size, note: note ?? checkpoint.note, token: isStamped ? checkpoint.token : nil)
    }

    private func stated(of capture: CaptureID) -> [(statement: StoredStatement, index: UInt64?)] {
        guard !withdrawn.contains(capture) else { return [] }
        return stored.filter { $0.statement.statement.capture == capture }.sorted {
            $0.statement.statement.sequence < $1.statement.statement.sequence
        }
    }

    private func placed(_ entry: (statement: StoredStatement, index: UInt64?)) -> StoredStatement {
        let place = entry.index.flatMap { index in told.map { LogPlace(shard: $0, index: index, time: entry.statement.statement.time) } }
        let placed = PlacedStatement(kind: entry.statement.placed.kind, notBefore: entry.statement.placed.notBefore, place: place)
        return StoredStatement(
            placed: placed, statement: entry.statement.statement, salt: entry.statement.salt, evidence: entry.statement.evidence,
            raw: entry.statement.raw)
    }
}

extension NoteSignature {
    /// The time in a witness's signature.
    var cosignedAt: Date {
        Date(timeIntervalSince1970: TimeInterval(signature.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }
}
