import Blocking
import CaptureProtocol
import Foundation
import TransparencyLog

/// Follows one log: what it publishes, and what others have seen of it.
actor LogMonitoring {
    /// The state is saved after so many entries when a long log is read.
    private static let entriesBetweenSaves: UInt64 = 65_536

    struct Options: Sendable {
        /// The address of the log; ends in a slash.
        let prefix: String
        let policy: TrustPolicy
        let also: [CheckpointSource]
        /// For how many seconds others may be ahead of the log.
        let tolerance: Int
        /// All entries and tiles are read again after so many seconds.
        let rehashSeconds: Int
    }

    private let options: Options
    private let folder: DurableFolder
    private let tiles: PublishedTiles
    private var state: MonitorState?
    private var ahead = AheadTrees()
    private let ledger: LeafLedger
    /// The reading of everything again that has begun and not come to its end.
    private var rereading: Rereading?

    /// - Throws: ``CommandFailure`` if the folder's state cannot be used.
    init(_ options: Options, folder: DurableFolder, files: PublicFiles) throws {
        self.options = options
        self.folder = folder
        tiles = PublishedTiles(files: files, prefix: options.prefix)
        state = try folder.read(MonitorState.fileName, limit: MonitorState.maximumBytes).map {
            try MonitorState($0, policy: options.policy)
        }
        if let origin = state?.tree.checkpoint.origin, let bytes = try folder.read(AheadTrees.fileName, limit: AheadTrees.maximumBytes) {
            ahead = AheadTrees(bytes, policy: options.policy, origin: origin)
        }
        ledger = try LeafLedger("\(folder.path)/leaves", head: state?.edge.frontier.head ?? .empty)
    }

    /// The result of a round without a defect.
    struct Report: Sendable {
        let tree: SignedTree
        /// Places that could not be read, or show what is no checkpoint of the log: a sentence each.
        let unread: [String]
    }

    /// Looks at everything once. What cannot be read of the log keeps nothing else from being looked at.
    /// - Parameter trees: further checkpoints of the log, as from a bundle.
    /// - Throws: ``LogDefect``, ``ForkEvidence``; ``PublicFiles/Unreachable`` if the log cannot be read, ``CommandFailure`` if the state
    ///   cannot be written, or is damaged.
    func round(at now: Int, also trees: [SignedTree] = []) async throws -> Report {
        let known: SignedTree
        // The first thing of the log that could not be read.
        var lacking: (any Error)?
        do { known = try await follow(at: now) } catch let problem where Self.isLacking(problem) {
            guard let tree = state?.tree else { throw problem }
            known = tree
            lacking = problem
        }
        let isFollowed = lacking == nil
        var (seen, unread) = ([SignedTree](), [String]())
        for found in await look(for: known.checkpoint.origin) {
            switch found {
            case .success(let tree): if let tree { seen.append(tree) }
            case .failure(let problem): unread.append("\(problem)")
            }
        }
        try compareOfOneSize([known] + ahead.all.map(\.tree) + seen + trees)
        // A log that was not read is behind nobody.
        for tree in seen + trees where isFollowed || tree.size <= known.size {
            do { try await compare(tree, at: now, lacking) } catch let problem where Self.isLacking(problem) {
                lacking = lacking ?? problem
            }
        }
        if isFollowed, let problem = try await compareAhead(at: now, lacking) { lacking = lacking ?? problem }
        if let lacking { throw lacking }
        // A time to come is none: the clock was set back.
        if let state, !(0..<options.rehashSeconds).contains(now - state.rehashedAt) {
            if let problem = rereading?.problem(at: now) { unread.append(problem) } else { try await rehash(at: now) }
        }
        return Report(tree: known, unread: unread)
    }

    /// Whether something of the log could not be read: its server does not answer, or says that there is no such file.
    private static func isLacking(_ error: any Error) -> Bool {
        error is PublicFiles.Unreachable || (error as? LogDefect)?.kind == .missing
    }

    /// What the log holds of a capture.
    func records(of subject: LogSubject) throws -> [(index: UInt64, record: LeafRecord)] { try ledger.records(of: subject) }

    func record(at index: UInt64) throws -> LeafRecord? { try ledger.record(at: index) }

    /// Whether the log comes up to all that others have.
    var isComplete: Bool { ahead.all.isEmpty }

    /// - Returns: what it shows, verified.
    private func follow(at now: Int) async throws -> SignedTree {
        let place = options.prefix + "checkpoint"
        guard let bytes = try await tiles.files.read(place) else { throw LogDefect(.missing, "there is no checkpoint at \(place)") }
        let tree = try SignedTree(bytes, source: place, policy: options.policy, origin: state?.tree.checkpoint.origin)
        try await follow(tree, at: now)
        return state?.tree ?? tree
    }

    private func follow(_ tree: SignedTree, at now: Int) async throws {
        ledger.discard()
        if let known = state?.tree {
            guard known.size <= tree.size else {
                // Its tiles may have gone back as well: then what was read of the known tree decides whether this is a fork. If that is
                // damaged too, two signed notes say enough.
                do { try await prove(tree, known, nil) } catch is LogDefect {} catch is PublicFiles.Unreachable {} catch is CommandFailure {
                }
                let defect = LogDefect(.wentBack, "it shows \(tree.size) entries, and has shown \(known.size)")
                throw ForkEvidence(smaller: tree, larger: known, instead: nil, defect: defect)
            }
            try await prove(known, tree, nil)
        }
        let edge = state?.edge ?? TileEdge()
        guard edge.size < tree.size || state?.tree.note != tree.note else { return }
        var replay = TreeReplay(from: edge, hasEnded: try hasEnded(), to: tree.head, tiles: tiles)
        // The first reading is one of everything.
        let rehashedAt = state?.rehashedAt ?? now
        while let leaves = try await replay.next() {
            for leaf in leaves.leaves { try ledger.add(leaf) }
            guard ledger.size - (state?.edge.size ?? 0) >= Self.entriesBetweenSaves, replay.edge.size < tree.size else { continue }
            try await replay.proveRoot()
            try save(MonitorState(edge: replay.edge, tree: tree, rehashedAt: rehashedAt))
        }
        try await replay.proveRoot()
        try save(MonitorState(edge: replay.edge, tree: tree, rehashedAt: rehashedAt))
    }

    private func hasEnded() throws -> Bool {
        guard let size = state?.edge.size, size > 0 else { return false }
        return try ledger.record(at: size - 1)?.kind == .end
    }

    private func save(_ state: MonitorState) throws {
        try ledger.save()
        try folder.replace(MonitorState.fileName, with: try state.bytes)
        self.state = state
    }

    /// Reads everything again, from the first entry on, or from where the last attempt ended.
    private func rehash(at now: Int) async throws {
        guard var state else { return }
        var reading =
            rereading ?? Rereading(replay: TreeReplay(from: TileEdge(), hasEnded: false, to: state.tree.head, tiles: tiles))
        do {
            var replay = reading.replay
            while try await replay.next() != nil { reading.advance(to: replay) }
            try await replay.proveRoot()
        } catch {
            if let problem = error as? PublicFiles.Unreachable { reading.wait(problem, at: now) }
            rereading = reading
            throw error
        }
        rereading = nil
        state.rehashedAt = now
        try save(state)
    }

    private func look(for origin: TextLine) async -> [Result<SignedTree?, any Error>] {
        let sources = CheckpointSource.witnesses(of: options.policy) + options.also
        return await withTaskGroup(of: (Int, Result<SignedTree?, any Error>).self) { group in
            for (index, source) in sources.enumerated() {
                group.addTask { [tiles, options] in
                    do {
                        let bytes = try await source.read(tiles.files, origin: origin)
                        let tree = try bytes.map {
                            try SignedTree($0, source: source.place(of: origin), policy: options.policy, origin: origin)
                        }
                        return (index, .success(tree))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var found: [(Int, Result<SignedTree?, any Error>)] = []
            for await one in group { found.append(one) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Trees of one size need nothing of the log to be compared: it may be off while others show that it forked.
    private func compareOfOneSize(_ trees: [SignedTree]) throws {
        var first: [UInt64: SignedTree] = [:]
        for tree in trees {
            let other = first[tree.size, default: tree]
            guard other.head == tree.head else { throw ForkEvidence.forked(other, tree, other.head, ConsistencyProof(hashes: [])) }
            first[tree.size] = other
        }
    }

    private func compare(_ seen: SignedTree, at now: Int, _ lacking: (any Error)?) async throws {
        guard let known = state?.tree, seen.size <= known.size else {
            ahead.add(seen, at: now)
            return try folder.replace(AheadTrees.fileName, with: try ahead.bytes)
        }
        try await prove(seen, known, lacking)
    }

    /// - Returns: why some could not be compared.
    private func compareAhead(at now: Int, _ lacking: (any Error)?) async throws -> (any Error)? {
        guard let known = state?.tree else { return nil }
        if ahead.limit(to: now) { try folder.replace(AheadTrees.fileName, with: try ahead.bytes) }
        var lacking = lacking
        for seen in ahead.all {
            if seen.tree.size <= known.size {
                do { try await prove(seen.tree, known, lacking) } catch let problem where Self.isLacking(problem) {
                    lacking = lacking ?? problem
                    continue
                }
                ahead.remove(seen.tree)
                try folder.replace(AheadTrees.fileName, with: try ahead.bytes)
            } else if now - seen.since >= options.tolerance {
                let defect = LogDefect(
                    .behind, "it shows \(known.size) entries, and \(seen.tree.source) has its signed checkpoint of \(seen.tree.size)")
                throw ForkEvidence(smaller: known, larger: seen.tree, instead: nil, defect: defect)
            }
        }
        return lacking
    }

    /// - Parameter lacking: why the log is not asked for tiles, if something of it could not be read in this round: a server that hangs
    ///   would take up to a minute for each comparison.
    /// - Throws: ``ForkEvidence`` unless the larger tree begins with the smaller one; ``LogDefect``, ``PublicFiles/Unreachable`` and
    ///   `lacking` if the tiles prove neither, nor what was read before that it does not; ``CommandFailure`` if that is damaged.
    private func prove(_ smaller: SignedTree, _ larger: SignedTree, _ lacking: (any Error)?) async throws {
        guard smaller.head != larger.head else { return }
        do {
            if let lacking { throw lacking }
            if case .forked(let instead, let proof) = try await TreeComparison(smaller.head, larger.head, tiles: tiles) {
                throw ForkEvidence.forked(smaller, larger, instead, proof)
            }
        } catch let error where error is LogDefect || error is PublicFiles.Unreachable {
            // A log that forked may show other tiles, or none: what was read of the larger tree decides.
            guard larger.size == state?.edge.size, smaller.size > 0 else { throw error }
            let own = TreeHead(
                size: smaller.size, root: try MerkleFrontier(size: smaller.size, read: ledger.root).root)
            guard own != smaller.head else { throw error }
            let proof = try ConsistencyProof(from: smaller.size, to: larger.size, read: ledger.root)
            // Otherwise it is not the log's leaves that differ, but those that were kept of it.
            guard proof.proves(own, isPrefixOf: larger.head) else { throw ledger.damaged }
            throw ForkEvidence.forked(smaller, larger, own, proof)
        }
    }
}

/// How far everything has been read again, and when that goes on.
private struct Rereading: Sendable {
    /// Behind leaves that were compared with all above them.
    private(set) var replay: TreeReplay
    /// Longer and longer as long as nothing more can be read, so that a server that refuses is not asked for ever.
    private var backoff = Backoff(initial: 10, limit: 3600)
    private var pause: (problem: String, times: Range<Int>)?

    init(replay: TreeReplay) { self.replay = replay }

    /// Why it does not go on now; `nil` if it does, also at a time before the pause: then the clock was set back.
    func problem(at now: Int) -> String? { pause.flatMap { $0.times.contains(now) ? $0.problem : nil } }

    mutating func advance(to replay: TreeReplay) {
        self.replay = replay
        backoff.reset()
    }

    mutating func wait(_ problem: PublicFiles.Unreachable, at now: Int) {
        let seconds = max(1, Int(backoff.next() / .seconds(1)))
        pause = ("\(problem)", now..<now + seconds)
    }
}
