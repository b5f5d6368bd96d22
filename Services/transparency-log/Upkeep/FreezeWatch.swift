import Synchronization

/// Whether a shard is open and not frozen, as it was last seen; for readiness.
final class FreezeWatch: Sendable {
    private let state = Atomic<Bool>(false)

    var isSound: Bool { state.load(ordering: .relaxed) }

    func note(_ standing: LogStanding) { state.store(standing.shard.map { $0.freeze == nil } ?? false, ordering: .relaxed) }
}
