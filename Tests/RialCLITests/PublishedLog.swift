import CaptureProtocol
import Crypto
import Foundation
import TransparencyLog

/// A log in a folder, as it is published.
struct PublishedLog: Sendable {
    static let origin = "rial.example/log/2026"
    static let seconds: UInt64 = 1_793_534_500

    let folder: URL
    let key: SignerKey
    let witnesses: [SignerKey]
    private(set) var leaves: [[UInt8]] = []

    init(witnesses count: Int = 0) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        key = try Self.signer(Self.origin, .log)
        witnesses = try (0..<count).map { try Self.signer("witness.example/w\($0 + 1)", .witness) }
        leaves = [LogLeaf.shard(previous: nil, head: .empty).bytes]
    }

    static func signer(_ name: String, _ kind: KeyKind) throws -> SignerKey {
        guard let line = TextLine(name) else { throw CocoaError(.coderInvalidValue) }
        return try SignerKey(name: line, kind: kind, seed: Array(SHA256.hash(data: Data(name.utf8))))
    }

    /// A leaf that no other number gives.
    static func leaf(_ number: Int, kind: LogLeaf.Kind = .assessment, subject: Int? = nil) -> LogLeaf {
        let subject = ContentDigest(of: Array("subject \(subject ?? number)".utf8)).bytes.prefix(16)
        guard let subject = LogSubject(bytes: subject) else { preconditionFailure("16 bytes are a subject") }
        return .entry(
            kind: kind, time: 1_793_534_400 + number, subject: subject, commitment: ContentDigest(of: Array("statement \(number)".utf8)))
    }

    var size: UInt64 { UInt64(leaves.count) }
    var head: TreeHead { TreeHead(size: size, root: MerkleHash.root(ofLeaves: leaves.map { MerkleHash.leaf($0) })) }

    func policy(_ urls: [String] = []) throws -> TrustPolicy {
        var text = "log \(key.verifier)\n"
        for (index, witness) in witnesses.enumerated() {
            text += "witness w\(index + 1) \(witness.verifier)\(index < urls.count ? " " + urls[index] : "")\n"
        }
        return try TrustPolicy(Array((text + "quorum none\n").utf8))
    }

    mutating func add(_ leaves: some Sequence<LogLeaf>) { self.leaves += leaves.map(\.bytes) }
    mutating func add(raw leaf: [UInt8]) { leaves.append(leaf) }
    mutating func replace(_ index: Int, with leaf: LogLeaf) { leaves[index] = leaf.bytes }
    mutating func cut(to size: Int) { leaves = Array(leaves.prefix(size)) }

    func note(cosigned: Bool = true) throws -> SignedNote {
        let text = Checkpoint(origin: key.verifier.name, head: head).text
        let cosignatures = cosigned ? try witnesses.map { try $0.cosign(text, at: Self.seconds) } : []
        return try SignedNote(text: text, signatures: [try key.sign(text)] + cosignatures)
    }

    /// Writes checkpoint, tiles and bundles.
    /// - Parameter oldSize: of the tree that was written before.
    func publish(from oldSize: UInt64 = 0) throws {
        var hashes: [TreeNode: ContentDigest] = [:]
        var frontier = MerkleFrontier()
        for leaf in leaves { frontier.append(MerkleHash.leaf(leaf)) { hashes[$0] = $1 } }
        for tile in Tile.added(from: oldSize, to: size) { try write(tile.path, Self.bytes(of: tile, leaves, hashes)) }
        try write("checkpoint", note().bytes)
    }

    private static func bytes(of tile: Tile, _ leaves: [[UInt8]], _ hashes: [TreeNode: ContentDigest]) throws -> [UInt8] {
        let first = Int(tile.index) << 8
        switch tile.kind {
        case .entries: return try EntryBundle(entries: Array(leaves[first..<first + tile.width])).bytes
        case .hashes(let level):
            return Tile.bytes(
                of: (first..<first + tile.width).compactMap { hashes[TreeNode(level: level * 8, index: UInt64($0))] })
        }
    }

    func path(_ name: String) -> URL { folder.appendingPathComponent(name) }
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: path(name))) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(at: path(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: path(name))
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}

extension PublishedLog {
    /// A proof that the tree begins with that of another size.
    func proof(from oldSize: UInt64) throws -> ConsistencyProof {
        let hashes = leaves.map { MerkleHash.leaf($0) }
        return try ConsistencyProof(from: oldSize, to: size) { node in
            let first = Int(node.index) << node.level
            return MerkleHash.root(ofLeaves: hashes[first..<first + 1 << node.level])
        }
    }
}
