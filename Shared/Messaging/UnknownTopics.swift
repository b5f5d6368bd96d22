/// Topics that a broker does not know. librdkafka tells of each once; this tells again, ever more rarely, until a record comes.
struct UnknownTopics {
    private struct Reminder {
        var due: ContinuousClock.Instant
        var wait: Duration
    }

    private let tell: @Sendable (String) -> Void
    private var reminders: [String: Reminder] = [:]

    init(tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    mutating func insert(_ topic: String, at now: ContinuousClock.Instant = .now) {
        guard reminders[topic] == nil else { return }
        reminders[topic] = Reminder(due: now + .seconds(1), wait: .seconds(1))
        tell(topic)
    }

    mutating func remove(_ topic: String) { reminders[topic] = nil }

    /// Tells of the topics that are due.
    mutating func remind(at now: ContinuousClock.Instant = .now) {
        for (topic, reminder) in reminders where reminder.due <= now {
            let wait = min(reminder.wait * 2, .seconds(60))
            reminders[topic] = Reminder(due: now + wait, wait: wait)
            tell(topic)
        }
    }
}
