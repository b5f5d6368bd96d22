import Metrics
import Synchronization

/// How much disk the files of strangers may take together while they are looked at.
final class ScratchRoom: Sendable {
    private let limitBytes: Int64
    private let takenBytes = Mutex<Int64>(0)
    private let gauge = Meter(label: "rial_scratch_bytes")

    /// - Parameter bytes: 0 is no limit.
    init(bytes: Int64) { limitBytes = bytes }

    /// What one file takes; given back when it is let go.
    final class Share: Sendable {
        private let room: ScratchRoom
        private let heldBytes = Mutex<Int64>(0)

        fileprivate init(_ room: ScratchRoom) { self.room = room }

        deinit { room.give(heldBytes.withLock { $0 }) }

        /// - Throws: `SERVICE_UNAVAILABLE` if there is no room for so many bytes more.
        func grow(by bytes: Int) throws(APIError) {
            guard room.take(Int64(bytes)) else { throw ScratchFile.noRoom }
            heldBytes.withLock { $0 += Int64(bytes) }
        }
    }

    func share() -> Share { Share(self) }

    private func take(_ bytes: Int64) -> Bool {
        let isTaken = takenBytes.withLock { taken in
            guard limitBytes == 0 || taken <= limitBytes - bytes else { return false }
            taken += bytes
            return true
        }
        if isTaken { gauge.increment(by: Double(bytes)) } else { Counter(label: "rial_scratch_refused_total").increment() }
        return isTaken
    }

    private func give(_ bytes: Int64) {
        takenBytes.withLock { $0 -= bytes }
        gauge.decrement(by: Double(bytes))
    }
}
