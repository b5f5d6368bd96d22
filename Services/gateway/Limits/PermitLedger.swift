/// Counts the permits held in total, per address and per device. Pure state: no clock, no task.
struct PermitLedger: Sendable {
    /// The maximum numbers of permits; 0 means no limit.
    struct Limits: Sendable, Equatable {
        var total: Int
        var perAddress = 0
        var perDevice = 0
        /// How many of `total` are reserved for verified devices.
        var reserved = 0
    }

    struct Holder: Sendable, Hashable {
        /// A client's network, as in ``ClientAddress``.
        let address: String
        /// `nil` where there is no limit per device.
        var device: String?
        var isVerified = false
    }

    /// The limit that was reached.
    enum Refusal: String, Error, Sendable {
        case device, address
        case total = "all"
    }

    private let limits: Limits
    private var held = 0
    private var heldByUnverified = 0
    private var byAddress: [String: Int] = [:]
    private var byDevice: [String: Int] = [:]

    init(_ limits: Limits) { self.limits = limits }

    mutating func acquire(_ holder: Holder) throws(Refusal) {
        if let device = holder.device, limits.perDevice > 0, byDevice[device, default: 0] >= limits.perDevice { throw .device }
        if limits.perAddress > 0, byAddress[holder.address, default: 0] >= limits.perAddress { throw .address }
        if limits.total > 0 {
            guard held < limits.total else { throw .total }
            guard holder.isVerified || heldByUnverified < limits.total - limits.reserved else { throw .total }
        }
        held += 1
        if !holder.isVerified { heldByUnverified += 1 }
        byAddress[holder.address, default: 0] += 1
        if let device = holder.device { byDevice[device, default: 0] += 1 }
    }

    /// Releases one of the holder's permits.
    mutating func release(_ holder: Holder) {
        held -= 1
        if !holder.isVerified { heldByUnverified -= 1 }
        Self.lower(&byAddress, holder.address)
        if let device = holder.device { Self.lower(&byDevice, device) }
    }

    /// Removes the key at 0.
    private static func lower(_ counts: inout [String: Int], _ key: String) {
        let left = (counts[key] ?? 1) - 1
        counts[key] = left > 0 ? left : nil
    }
}
