/// Topics that the broker does not know. librdkafka reports each once; this repeats the report with backoff until a record arrives.
struct UnknownTopics {
    private struct Reminder {
        var due: ContinuousClock.Instant
        var wait: Duration
    }

    private let report: @Sendable (String) -> Void
    private var reminders: [String: Reminder] = [:]

    init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    mutating func insert(_ topic: String, at now: ContinuousClock.Instant = .now) {
        guard reminders[topic] == nil else { return }
        reminders[topic] = Reminder(due: now + .seconds(1), wait: .seconds(1))
        report(topic)
    }

    mutating func remove(_ topic: String) { reminders[topic] = nil }

    /// Reports the topics that are due.
    mutating func remind(at now: ContinuousClock.Instant = .now) {
        for (topic, reminder) in reminders where reminder.due <= now {
            let wait = min(reminder.wait * 2, .seconds(60))
            reminders[topic] = Reminder(due: now + wait, wait: wait)
            report(topic)
        }
    }
}
