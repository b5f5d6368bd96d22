/// The result of a soak.
struct SoakReport: MeasurementReport {
    /// Captures that devices began to send.
    var sent = 0
    var accepted = 0
    /// Captures of these devices that are complete in PostgreSQL.
    var complete = 0
    /// Devices registered during the run.
    var devices = 0
    /// Captures in PostgreSQL that no device knows of.
    var unknown = 0
    /// Captures accepted under the id of another one.
    var confused = 0
    /// Captures that could not be sent despite retries, by the last failure.
    var givenUp: [String: Int] = [:]
    /// What is wrong with accepted captures, by kind.
    var faults: [String: Int] = [:]
    /// Failures after which a device retried, by code.
    var retries: [String: Int] = [:]
    /// How often captures were announced again.
    var repairs: Int64 = 0

    var isClean: Bool {
        faults.isEmpty && givenUp.isEmpty && unknown == 0 && confused == 0 && accepted > 0 && accepted == sent && complete == accepted
    }

    enum CodingKeys: String, CodingKey {
        case sent, accepted, complete, devices, unknown, confused, faults, retries
        case givenUp = "given_up"
        case repairs = "announced_again"
    }
}
