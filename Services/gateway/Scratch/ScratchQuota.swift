import Metrics
import Synchronization

/// Bounds the disk space of files of one purpose: uploaded ones during verification, or media that become part of bundles.
final class ScratchQuota: Sendable {
    private let limitBytes: Int64
    private let usedBytes = Mutex<Int64>(0)
    private let gauge = Meter(label: "rial_scratch_bytes")

    /// - Parameter bytes: 0 means no limit.
    init(bytes: Int64) { limitBytes = bytes }

    /// The space one file uses; released when the last reference goes away.
    final class Share: Sendable {
        private let quota: ScratchQuota
        private let heldBytes = Mutex<Int64>(0)

        fileprivate init(_ quota: ScratchQuota) { self.quota = quota }

        deinit { quota.release(heldBytes.withLock { $0 }) }

        /// - Throws: ``NoScratchSpace`` if the quota is exhausted.
        func grow(by bytes: Int) throws(NoScratchSpace) {
            guard quota.acquire(Int64(bytes)) else { throw NoScratchSpace() }
            heldBytes.withLock { $0 += Int64(bytes) }
        }
    }

    func share() -> Share { Share(self) }

    private func acquire(_ bytes: Int64) -> Bool {
        let isAcquired = usedBytes.withLock { used in
            guard limitBytes == 0 || used <= limitBytes - bytes else { return false }
            used += bytes
            return true
        }
        if isAcquired { gauge.increment(by: Double(bytes)) } else { Counter(label: "rial_scratch_refused_total").increment() }
        return isAcquired
    }

    private func release(_ bytes: Int64) {
        usedBytes.withLock { $0 -= bytes }
        gauge.decrement(by: Double(bytes))
    }
}
