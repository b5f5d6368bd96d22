import CaptureProtocol
import Foundation
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite(
    "A log that the service wrote, for Go's sumdb/note and sumdb/tlog",
    .enabled(if: GoReference.isPresent, "needs golang-go and golang-golang-x-mod-dev"))
struct GoReadingTests {
    private static let statements = 70_000
    private static let proofs = 400

    @Test("is sound: signatures, every one of 70,000 entries, and proofs of random indexes and sizes from the tiles in the store")
    func agree() async throws {
        let rig = try LogRig(witnesses: ["w1"], quorum: 1)
        rig.add(0..<Self.statements)
        try await rig.drain(rig.sequencer())
        let size = UInt64(Self.statements + 1)
        #expect(rig.log.rows.shards.first?.publishedSize == size)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-log-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let prefix = "log/2026/"
        for key in rig.store.keys where key.hasPrefix(prefix) {
            try Self.write(try #require(rig.store.bytes(key)), String(key.dropFirst(prefix.count)), in: folder)
        }
        try Self.write(Array(try await Self.proofs(from: rig, size: size).utf8), "proofs", in: folder)
        let witness = try #require(rig.witnesses.first?.witness.key)
        let result = try GoReference.run([folder.path, rig.key.verifier.description, witness.description])
        #expect(result.status == 0 && result.output == "\(size) entries, \(2 * Self.proofs) proofs\n", "\(result.output)")
    }

    /// Lines with proofs of inclusion and of consistency, for trees of all sizes.
    private static func proofs(from rig: LogRig, size: UInt64) async throws -> String {
        var generator = SeededGenerator(seed: 7)
        var hashes = TileHashes()
        for level in 0...2 {
            var index: UInt64 = 0
            while let tile = Tile.at(.hashes(level: level), index: index, size: size) {
                try hashes.add(tile, try #require(try await rig.objects.hashes(of: tile), "\(tile)"))
                index += 1
            }
        }
        var lines = ""
        for _ in 0..<proofs {
            let part = UInt64.random(in: 1...size, using: &generator)
            let (index, old) = (UInt64.random(in: 0..<part, using: &generator), UInt64.random(in: 1...part, using: &generator))
            let inclusion = try InclusionProof(index: index, size: part) { try hashes.root(of: $0) }
            let consistency = try ConsistencyProof(from: old, to: part) { try hashes.root(of: $0) }
            for (kind, other, proof) in [("inclusion", index, inclusion.hashes), ("consistency", old, consistency.hashes)] {
                lines += ([kind, "\(part)", "\(other)"] + proof.map { Base64.encode($0.bytes) }).joined(separator: " ") + "\n"
            }
        }
        return lines
    }

    private static func write(_ bytes: [UInt8], _ path: String, in folder: URL) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }
}
