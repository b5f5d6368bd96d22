/// Who holds how many of a number of places. Decides; waits for nothing.
struct PlaceLedger: Sendable {
    /// How many there are; 0 is no limit.
    struct Rule: Sendable, Equatable {
        var total: Int
        var perAddress = 0
        var perDevice = 0
        /// Of `total`, for verified devices alone.
        var kept = 0
    }

    struct Holder: Sendable, Hashable {
        /// The network a client counts by.
        let address: String
        /// `nil` where devices do not count.
        var device: String?
        var isVerified = false
    }

    /// Which limit there is no place below.
    enum Refusal: String, Error, Sendable { case device, address, all }

    private let rule: Rule
    private(set) var taken = 0
    private var takenUnverified = 0
    private var byAddress: [String: Int] = [:]
    private var byDevice: [String: Int] = [:]

    init(_ rule: Rule) { self.rule = rule }

    mutating func take(_ holder: Holder) throws(Refusal) {
        if let device = holder.device, rule.perDevice > 0, byDevice[device, default: 0] >= rule.perDevice { throw .device }
        if rule.perAddress > 0, byAddress[holder.address, default: 0] >= rule.perAddress { throw .address }
        if rule.total > 0 {
            guard taken < rule.total else { throw .all }
            guard holder.isVerified || takenUnverified < rule.total - rule.kept else { throw .all }
        }
        taken += 1
        if !holder.isVerified { takenUnverified += 1 }
        byAddress[holder.address, default: 0] += 1
        if let device = holder.device { byDevice[device, default: 0] += 1 }
    }

    /// Gives back one place that the holder has.
    mutating func give(_ holder: Holder) {
        taken -= 1
        if !holder.isVerified { takenUnverified -= 1 }
        Self.lower(&byAddress, holder.address)
        if let device = holder.device { Self.lower(&byDevice, device) }
    }

    /// Who holds none is forgotten.
    private static func lower(_ counts: inout [String: Int], _ key: String) {
        let left = (counts[key] ?? 1) - 1
        counts[key] = left > 0 ? left : nil
    }
}
