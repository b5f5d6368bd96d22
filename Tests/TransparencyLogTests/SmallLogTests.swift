import CaptureProtocol
import Testing
import TransparencyLog

@Suite("A log of another implementation", .enabled(if: Vectors.isPresent, "\(Vectors.need)"))
struct SmallLogTests {
    private struct Key: Decodable {
        let vkey: String
    }

    private static let sizes = 0...15

    private func checkpoint(_ size: Int) throws -> Checkpoint {
        let key = try VerifierKey(try Vectors.json("small-log.json", as: Key.self).vkey)
        let note = try SignedNote(try Vectors.bytes("small-log/checkpoint.\(size)"))
        #expect(try note.verified(by: [key]).map(\.key) == [key])
        let checkpoint = try Checkpoint(text: note.text)
        #expect(checkpoint.size == UInt64(size) && checkpoint.origin == key.name && checkpoint.text == note.text)
        return checkpoint
    }

    private func read(_ tiles: Set<Tile>) throws -> TileHashes {
        var hashes = TileHashes()
        for tile in tiles { try hashes.add(tile, try tile.hashes(in: try Vectors.bytes("small-log/" + tile.path))) }
        return hashes
    }

    @Test("has the signed root in its tiles and in its entries at every size", arguments: Self.sizes)
    func roots(size: Int) throws {
        let head = try checkpoint(size).head
        let tiles = MerkleFrontier.tiles(size: head.size)
        #expect(try MerkleFrontier(size: head.size, read: try read(tiles).root).head == head)
        guard let tile = Tile.at(.entries, index: 0, size: head.size) else {
            #expect(size == 0 && head == .empty)
            return
        }
        let bytes = try Vectors.bytes("small-log/" + tile.path)
        let bundle = try EntryBundle(bytes, of: tile)
        #expect(bundle.bytes == bytes)
        #expect(MerkleHash.root(ofLeaves: bundle.entries.map { MerkleHash.leaf($0) }) == head.root)
    }

    @Test("has proofs of every leaf and of every earlier size in its tiles", arguments: Self.sizes)
    func proofs(size: Int) throws {
        let head = try checkpoint(size).head
        for index in 0..<head.size {
            let tile = try #require(Tile.entries(of: index, size: head.size))
            let entry = try EntryBundle(try Vectors.bytes("small-log/" + tile.path), of: tile).entries[Int(index)]
            let proof = try InclusionProof(
                index: index, size: head.size, read: try read(try InclusionProof.tiles(index: index, size: head.size)).root)
            #expect(proof.proves(MerkleHash.leaf(entry), at: index, in: head))
            guard index > 0 else { continue }
            let old = try checkpoint(Int(index)).head
            let consistency = try ConsistencyProof(
                from: old.size, to: head.size, read: try read(try ConsistencyProof.tiles(from: old.size, to: head.size)).root)
            #expect(consistency.proves(old, isPrefixOf: head))
        }
    }
}
