/// The result of a soak.
struct SoakReport: MeasurementReport {
    /// Captures whose sending was started.
    var sent = 0
    var accepted = 0
    /// Captures of these devices that are complete in PostgreSQL.
    var complete = 0
    /// Devices registered during the run.
    var devices = 0
    /// Captures in PostgreSQL that are unknown to the devices.
    var unknown = 0
    /// Captures accepted under the id of another capture.
    var confused = 0
    /// Captures that could not be sent despite retries, by the last failure.
    var givenUp: [String: Int] = [:]
    /// Faults of accepted captures, by kind.
    var faults: [String: Int] = [:]
    /// Failures that were retried, by code.
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
