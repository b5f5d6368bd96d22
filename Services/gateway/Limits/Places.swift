import Metrics
import Synchronization

/// Places for work that holds memory, disk or connections for as long as a client likes: so many in all, an address and a device.
final class Places: Sendable {
    private let kind: String
    private let ledger: Mutex<PlaceLedger>
    private let gauge: Meter

    /// - Parameters:
    ///   - kind: what is done there, in the plural: for the message and the metrics.
    ///   - metric: a gauge of places taken.
    init(_ kind: String, _ rule: PlaceLedger.Rule, metric: String) {
        self.kind = kind
        ledger = Mutex(PlaceLedger(rule))
        gauge = Meter(label: metric)
    }

    /// A place; given back by ``give()``, or when it is let go.
    final class Place: Sendable {
        private let holder: PlaceLedger.Holder
        private let places: Places
        private let isHeld = Mutex(true)

        fileprivate init(_ holder: PlaceLedger.Holder, _ places: Places) {
            self.holder = holder
            self.places = places
        }

        deinit { give() }

        func give() {
            let was = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if was { places.give(holder) }
        }
    }

    /// - Throws: `RATE_LIMITED` where the device or the address has its share, `SERVICE_UNAVAILABLE` where all are taken.
    func take(address: String, device: String? = nil, isVerified: Bool = false) throws(APIError) -> Place {
        let holder = PlaceLedger.Holder(address: address, device: device, isVerified: isVerified)
        let refusal: PlaceLedger.Refusal? = ledger.withLock { ledger in
            do throws(PlaceLedger.Refusal) {
                try ledger.take(holder)
                return nil
            } catch {
                return error
            }
        }
        guard let refusal else {
            gauge.increment()
            return Place(holder, self)
        }
        Counter(label: "rial_places_refused_total", dimensions: [("kind", kind), ("limit", refusal.rawValue)]).increment()
        switch refusal {
        case .device: throw .retryLater(.rateLimited, "Too many \(kind) of this device at once; try again.", seconds: 5)
        case .address: throw .retryLater(.rateLimited, "Too many \(kind) from this address at once; try again.", seconds: 5)
        case .all: throw .retryLater(.serviceUnavailable, "Too many \(kind) at the moment; try again.", seconds: 1)
        }
    }

    private func give(_ holder: PlaceLedger.Holder) {
        ledger.withLock { $0.give(holder) }
        gauge.decrement()
    }
}
