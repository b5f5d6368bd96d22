import TransparencyLog

/// libFuzzer's entry: the input as a proof, as a policy, as a request and an answer of a witness, as the path of a tile, and, after a byte
/// for its width, as an entry bundle and a tile of hashes.
///
/// What is read is written again byte for byte, and nothing that is made up is proved.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransparencyProof(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    check {
        let proof = try TransparencyProof(input)
        precondition(proof.bytes == input, "another proof")
        guard let checkpoint = try? Checkpoint(text: proof.note.text) else { return }
        let isProved = proof.inclusion.proves(MerkleHash.empty, at: proof.index, in: checkpoint.head)
        precondition(!isProved || (proof.index < checkpoint.size && proof.inclusion.hashes.count <= 64), "a leaf that is not there")
    }
    check { try inspect(try TrustPolicy(input), input) }
    check {
        let request = try CheckpointSubmission(input)
        precondition(request.bytes == input && request.proof.hashes.count <= 63, "another request")
        let old = TreeHead(size: request.oldSize, root: MerkleHash.empty)
        precondition(
            !request.proof.proves(old, isPrefixOf: request.checkpoint.head) || old.root == request.checkpoint.root, "a made-up tree")
    }
    check {
        let size = try WitnessAnswer.size(input)
        precondition("\(size)\n".utf8.elementsEqual(input), "another size")
    }
    check {
        let path = String(decoding: input, as: UTF8.self)
        let tile = try Tile(path: path)
        precondition(tile.path.utf8.elementsEqual(path.utf8), "another path")
        precondition((try? Tile(tile.kind, index: tile.index, width: tile.width)) == tile, "a tile that cannot be")
    }
    guard let first = input.first else { return 0 }
    let content = Array(input.dropFirst())
    check {
        let tile = try Tile(.entries, index: 0, width: Int(first) + 1)
        let bundle = try EntryBundle(content, of: tile)
        precondition(bundle.bytes == content && bundle.entries.count == tile.width, "another bundle")
    }
    check {
        let hashes = try Tile(.hashes(level: 0), index: 0, width: Int(first) + 1).hashes(in: content)
        precondition(Tile.bytes(of: hashes) == content && hashes.count == Int(first) + 1, "another tile")
    }
    return 0
}

private func inspect(_ policy: TrustPolicy, _ input: [UInt8]) throws {
    precondition(policy.bytes == input, "another policy")
    precondition(Set(policy.keys.map(\.publicKey)).count == policy.keys.count, "a key twice")
    precondition(
        policy.logs.allSatisfy { $0.key.kind == .log } && policy.witnesses.allSatisfy { $0.key.kind == .witness }, "a key of another kind")
    guard case .met = policy.standing([]) else { return }
    preconditionFailure("a quorum of nobody")
}

private func check(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        precondition(error is TransparencyLogError, "another error")
    }
}
