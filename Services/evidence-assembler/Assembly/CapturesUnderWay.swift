import CaptureProtocol
import Synchronization

/// The captures that this process is assembling, or that wait here for a video before them.
final class CapturesUnderWay: Sendable {
    /// How many calls there are for each: its parts may be announced again meanwhile.
    private let calls = Mutex<[CaptureID: Int]>([:])

    func contains(_ capture: CaptureID) -> Bool { calls.withLock { $0[capture] != nil } }

    /// - Parameter isAlone: whether to begin only if nobody else has.
    /// - Returns: whether it has begun: then ``end(_:)`` must be called.
    func begin(_ capture: CaptureID, isAlone: Bool) -> Bool {
        calls.withLock { calls in
            if isAlone, calls[capture] != nil { return false }
            calls[capture, default: 0] += 1
            return true
        }
    }

    func end(_ capture: CaptureID) {
        calls.withLock { calls in
            guard let count = calls[capture] else { return }
            calls[capture] = count > 1 ? count - 1 : nil
        }
    }
}
