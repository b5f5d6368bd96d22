import Metrics
import Synchronization

/// How many uploads this instance takes at once: each holds some MiB, so that memory is bounded by their number.
final class UploadSlots: Sendable {
    private let free: Mutex<Int>
    private let gauge = Meter(label: "rial_uploads_in_progress")

    init(_ count: Int) { free = Mutex(count) }

    func take() -> Bool {
        let isTaken = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        if isTaken { gauge.increment() }
        return isTaken
    }

    func give() {
        free.withLock { $0 += 1 }
        gauge.decrement()
    }
}
