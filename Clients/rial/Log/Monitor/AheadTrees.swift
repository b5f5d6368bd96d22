import Foundation
import TransparencyLog

/// Checkpoints that others have and the log does not come up to yet.
struct AheadTrees: Sendable {
    static let fileName = "ahead.json"
    static let maximumBytes = 64 << 20
    /// All are signed by the log: more of them say no more.
    static let maximumCount = 32

    struct Seen: Sendable {
        let tree: SignedTree
        /// POSIX seconds.
        let since: Int
    }

    private struct Stored: Codable {
        let checkpoint: String
        let source: String
        let since: Int
    }

    private(set) var all: [Seen] = []

    init() {}

    /// What cannot be read any more is left out: who has seen it will show it again.
    init(_ bytes: [UInt8], policy: TrustPolicy, origin: TextLine) {
        let stored = (try? JSONDecoder().decode([Stored].self, from: Data(bytes))) ?? []
        all = stored.prefix(Self.maximumCount).compactMap { seen in
            (try? SignedTree(Array(seen.checkpoint.utf8), source: seen.source, policy: policy, origin: origin))
                .map { Seen(tree: $0, since: seen.since) }
        }
    }

    var bytes: [UInt8] {
        get throws {
            Array(
                try JSONEncoder().encode(
                    all.map {
                        Stored(checkpoint: String(decoding: $0.tree.note.bytes, as: UTF8.self), source: $0.tree.source, since: $0.since)
                    }))
        }
    }

    mutating func add(_ tree: SignedTree, at now: Int) {
        guard all.count < Self.maximumCount, !all.contains(where: { $0.tree.head == tree.head }) else { return }
        all.append(Seen(tree: tree, since: now))
    }

    /// For a clock that was set back: nothing was seen later than `now`.
    /// - Returns: whether that changes anything.
    mutating func limit(to now: Int) -> Bool {
        guard all.contains(where: { $0.since > now }) else { return false }
        all = all.map { Seen(tree: $0.tree, since: min($0.since, now)) }
        return true
    }

    mutating func remove(_ tree: SignedTree) { all.removeAll { $0.tree.head == tree.head } }
}
