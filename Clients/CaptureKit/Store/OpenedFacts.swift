import Foundation
import Synchronization

/// The facts of rows as they were last opened: a queue looks at all rows for each step, and opens again only those that changed. In memory
/// only.
final class OpenedFacts: Sendable {
    private struct State {
        var known: [String: (sealed: Data, facts: CaptureFacts)] = [:]
        var openings = 0
    }

    private let state = Mutex(State())

    /// How often facts were opened.
    var openings: Int { state.withLock { $0.openings } }

    /// - Parameter open: opens the row's facts.
    func facts(of row: RawCapture, open: () throws -> CaptureFacts) rethrows -> CaptureFacts {
        if let known = state.withLock({ $0.known[row.id] }), known.sealed == row.facts { return known.facts }
        let facts = try open()
        state.withLock { state in
            state.openings += 1
            state.known[row.id] = (row.facts, facts)
        }
        return facts
    }

    /// Forgets rows that are gone.
    func keepOnly(_ rows: [RawCapture]) {
        state.withLock { state in
            guard state.known.count > rows.count else { return }
            let ids = Set(rows.map(\.id))
            state.known = state.known.filter { ids.contains($0.key) }
        }
    }
}
