import CaptureKit
import CaptureProtocol
import Foundation
import TransparencyLog

/// A bundle's statements as a log has them, and what it has of the same capture beside them.
struct BundleStanding: Sendable {
    private static let maximumBytes = 1 << 30

    struct Placed: Sendable {
        let index: UInt64
        let leaf: LogLeaf
    }

    let subject: LogSubject
    /// The statements that are in this log.
    let placed: [Placed]
    /// Checkpoints against which they are proved.
    let trees: [SignedTree]
    /// The number of statements whose proof is of another shard.
    let elsewhere: Int

    /// - Throws: ``CommandFailure`` if the file is no bundle; ``LogDefect`` if a proof is against no checkpoint of the policy's logs.
    init(_ path: String, policy: TrustPolicy, origin: TextLine) throws {
        let bundle: EvidenceBundle
        do {
            let file = try PosixFiles().open(path)
            let bytes = try file.read(Int(clamping: min(file.sizeBytes, Int64(Self.maximumBytes))), at: 0)
            bundle = try EvidenceBundle(bytes)
        } catch {
            throw CommandFailure("\(path) is not a bundle: \(error).")
        }
        guard let subject = bundle.statements.first?.statement.subject else { throw CommandFailure("\(path) has no statement.") }
        self.subject = subject
        var (placed, trees, elsewhere) = ([Placed](), [SignedTree](), 0)
        for (number, logged) in bundle.statements.enumerated() {
            guard let proof = try? TransparencyProof(logged.proof), let salt = Salt(bytes: proof.extra) else {
                throw CommandFailure("\(path) has no proof of statement \(number).")
            }
            let tree = try SignedTree(proof.note.bytes, source: "\(path), statement \(number)", policy: policy, origin: nil)
            guard tree.checkpoint.origin == origin else {
                elsewhere += 1
                continue
            }
            trees.append(tree)
            placed.append(Placed(index: proof.index, leaf: logged.statement.leaf(salt: salt)))
        }
        (self.placed, self.trees, self.elsewhere) = (placed, trees, elsewhere)
    }

    /// - Parameters:
    ///   - size: of the log's tree.
    ///   - all: its leaves of the subject.
    ///   - record: its leaf at an index.
    /// - Returns: sentences on what the bundle does not have.
    /// - Throws: ``LogDefect`` if a statement is not where its proof says; one that may pass if the log does not come up to it.
    func compare(
        size: UInt64, all: [(index: UInt64, record: LeafRecord)], record: (UInt64) async throws -> LeafRecord?
    ) async throws -> [String] {
        for (place, tree) in zip(placed, trees) {
            guard tree.size <= size else {
                throw LogDefect(.missing, "the log shows \(size) entries, and the bundle has a tree of \(tree.size)")
            }
            guard try await record(place.index) == LeafRecord(place.leaf) else {
                throw LogDefect(.notLogged, "the bundle's statement of index \(place.index) is not the entry there")
            }
        }
        let own = Set(placed.map(\.index))
        var lines = all.filter { !own.contains($0.index) }.map { found in
            let kind = if case .entry(let kind) = found.record.kind { kind.rawValue } else { "entry" }
            let time = Date(timeIntervalSince1970: TimeInterval(found.record.time)).formatted(.iso8601)
            return "not in the bundle: \(kind), entry \(found.index), \(time)"
        }
        if lines.isEmpty { lines.append("the log has nothing about the bundle's subject that is not in the bundle") }
        if size > 0, try await record(size - 1)?.kind == .end { lines.append("unchecked: the shard has ended; monitor the later ones too") }
        if elsewhere > 0 { lines.append("unchecked: \(elsewhere) of the bundle's statements are in other shards; monitor these too") }
        return lines
    }
}
