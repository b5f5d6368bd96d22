import CaptureProtocol
import Foundation
import TestSupport
import TransparencyLog

/// A log in a folder, written in batches as the service does, with entries of many lengths.
struct WrittenLog {
    let folder: URL
    let key: SignerKey
    let witness: SignerKey
    let size: Int
    private let hashes: [TreeNode: ContentDigest]

    init(size: Int, seed: UInt64) throws {
        self.size = size
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-written-\(UUID().uuidString)")
        key = try Self.signer("rial.example/log/2026", .log)
        witness = try Self.signer("witness.example/w1", .witness)
        var generator = SeededGenerator(seed: seed)
        var (edge, frontier) = (TileEdge(), MerkleFrontier())
        var hashes: [TreeNode: ContentDigest] = [:]
        var bundle: [[UInt8]] = []
        for number in 0..<size {
            let entry =
                number == 300
                ? [] : (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            bundle.append(entry)
            let hash = MerkleHash.leaf(entry)
            frontier.append(hash) { hashes[$0] = $1 }
            for (tile, content) in edge.append(hash) { try Self.write(Tile.bytes(of: content), tile.path, in: folder) }
            guard bundle.count == Tile.fullWidth || number == size - 1,
                let tile = Tile.at(.entries, index: UInt64(number) >> 8, size: UInt64(number) + 1)
            else { continue }
            try Self.write(try EntryBundle(entries: bundle).bytes, tile.path, in: folder)
            bundle = []
        }
        for (tile, content) in edge.partialTiles { try Self.write(Tile.bytes(of: content), tile.path, in: folder) }
        self.hashes = hashes
        let text = Checkpoint(origin: key.verifier.name, head: edge.frontier.head).text
        let note = try SignedNote(text: text, signatures: [try key.sign(text), try witness.cosign(text, at: 1_793_534_500)])
        try Self.write(note.bytes, "checkpoint", in: folder)
    }

    /// Lines with as many proofs of inclusion and of consistency, for trees of all sizes.
    func writeProofs(_ count: Int, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var lines = ""
        for _ in 0..<count {
            let size = UInt64.random(in: 1...UInt64(self.size), using: &generator)
            let (index, old) = (UInt64.random(in: 0..<size, using: &generator), UInt64.random(in: 1...size, using: &generator))
            let inclusion = try InclusionProof(index: index, size: size, read: read)
            let consistency = try ConsistencyProof(from: old, to: size, read: read)
            for (kind, other, hashes) in [("inclusion", index, inclusion.hashes), ("consistency", old, consistency.hashes)] {
                lines += ([kind, "\(size)", "\(other)"] + hashes.map { Base64.encode($0.bytes) }).joined(separator: " ") + "\n"
            }
        }
        try Self.write(Array(lines.utf8), "proofs", in: folder)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private func read(_ node: TreeNode) throws -> ContentDigest {
        guard let hash = hashes[node] else { throw TransparencyLogError(.tileMissing, "\(node)") }
        return hash
    }

    private static func signer(_ name: String, _ kind: KeyKind) throws -> SignerKey {
        guard let line = TextLine(name) else { throw CocoaError(.coderInvalidValue) }
        return try SignerKey(name: line, kind: kind, seed: ContentDigest(of: Array(name.utf8)).bytes)
    }

    private static func write(_ bytes: [UInt8], _ path: String, in folder: URL) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }
}
