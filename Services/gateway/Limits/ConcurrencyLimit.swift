import Metrics
import Synchronization

/// Bounds concurrent work whose duration the client controls: in total, per address and per device. Callers beyond a limit are rejected and
/// do not queue.
final class ConcurrencyLimit: Sendable {
    private let kind: String
    private let ledger: Mutex<PermitLedger>
    private let gauge: Meter

    /// - Parameters:
    ///   - kind: the kind of work, a plural noun for messages and metrics.
    ///   - metric: the name of a gauge of the permits held.
    init(_ kind: String, _ limits: PermitLedger.Limits, metric: String) {
        self.kind = kind
        ledger = Mutex(PermitLedger(limits))
        gauge = Meter(label: metric)
    }

    /// The limit that was reached.
    struct Exceeded: Error, Sendable {
        let kind: String
        let limit: PermitLedger.Refusal
    }

    /// One permit. Released by ``release()``, or when the last reference goes away.
    final class Permit: Sendable {
        private let holder: PermitLedger.Holder
        private let limit: ConcurrencyLimit
        private let isHeld = Mutex(true)

        fileprivate init(_ holder: PermitLedger.Holder, _ limit: ConcurrencyLimit) {
            self.holder = holder
            self.limit = limit
        }

        deinit { release() }

        /// Idempotent.
        func release() {
            let was = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if was { limit.release(holder) }
        }
    }

    func acquire(address: String, device: String? = nil, isVerified: Bool = false) throws(Exceeded) -> Permit {
        let holder = PermitLedger.Holder(address: address, device: device, isVerified: isVerified)
        let refusal: PermitLedger.Refusal? = ledger.withLock { ledger in
            do throws(PermitLedger.Refusal) {
                try ledger.acquire(holder)
                return nil
            } catch {
                return error
            }
        }
        if let refusal {
            Counter(label: "rial_places_refused_total", dimensions: [("kind", kind), ("limit", refusal.rawValue)]).increment()
            throw Exceeded(kind: kind, limit: refusal)
        }
        gauge.increment()
        return Permit(holder, self)
    }

    private func release(_ holder: PermitLedger.Holder) {
        ledger.withLock { $0.release(holder) }
        gauge.decrement()
    }
}
