import Blocking
import Synchronization

/// The topics that a relay could not publish to. Each is retried by itself, with its own backoff, so that it does not delay the others.
final class PausedTopics: Sendable {
    private struct Pause {
        var backoff = Backoff()
        var end: Duration
    }

    private let pauses = Mutex<[String: Pause]>([:])

    var all: Set<String> { pauses.withLock { Set($0.keys) } }

    /// The topics whose pause is over.
    func due(at time: Duration) -> [String] {
        pauses.withLock { pauses in pauses.filter { $0.value.end <= time }.keys.sorted() }
    }

    /// Begins the topic's first pause, or its next and longer one.
    /// - Parameter isPartly: whether other rows of the topic were published; the pause is then as short as the first one.
    func pause(_ topic: String, at time: Duration, isPartly: Bool) {
        pauses.withLock { pauses in
            var pause = pauses[topic] ?? Pause(end: time)
            if isPartly { pause.backoff.reset() }
            pause.end = time + pause.backoff.next()
            pauses[topic] = pause
        }
    }

    func resume(_ topic: String) { pauses.withLock { $0[topic] = nil } }
}
