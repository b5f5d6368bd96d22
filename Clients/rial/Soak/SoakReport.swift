/// What a soak came to.
struct SoakReport: MeasurementReport {
    /// Captures that devices began to send.
    var sent = 0
    var accepted = 0
    /// Captures of these devices that PostgreSQL has as complete.
    var complete = 0
    /// Devices registered over the run.
    var devices = 0
    /// Captures in PostgreSQL that no device was told of, though it went on asking.
    var unknown = 0
    /// Captures accepted under another's id.
    var confused = 0
    /// Captures that no retry brought through, by the last answer.
    var givenUp: [String: Int] = [:]
    /// What is amiss with accepted captures, by kind.
    var faults: [String: Int] = [:]
    /// Answers after which a device sent again, by code.
    var retries: [String: Int] = [:]
    /// Announcements that had to be repeated.
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
