import Metrics
import Synchronization

/// How many event streams are open: 10 an address, 1,000 in all.
final class StreamSlots: Sendable {
    static let perAddress = 10
    static let total = 1000
    private let open = Mutex<[String: Int]>([:])

    /// Gives its place back when it is let go.
    final class Slot: Sendable {
        private let address: String
        private let slots: StreamSlots
        init(_ address: String, _ slots: StreamSlots) {
            self.address = address
            self.slots = slots
        }
        deinit { slots.give(address) }
    }

    func take(_ address: String) -> Slot? {
        let isTaken = open.withLock { open in
            guard open[address, default: 0] < Self.perAddress, open.values.reduce(0, +) < Self.total else { return false }
            open[address, default: 0] += 1
            return true
        }
        measure()
        return isTaken ? Slot(address, self) : nil
    }

    private func give(_ address: String) {
        open.withLock { open in
            let left = (open[address] ?? 1) - 1
            open[address] = left > 0 ? left : nil
        }
        measure()
    }

    private func measure() { Meter(label: "rial_event_streams_open").set(open.withLock { $0.values.reduce(0, +) }) }
}
