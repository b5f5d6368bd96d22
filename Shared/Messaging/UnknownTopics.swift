import Blocking

/// Topics that the broker does not know. librdkafka reports each once; this repeats the report with backoff until a record arrives.
struct UnknownTopics {
    private struct Reminder {
        var due: ContinuousClock.Instant
        var backoff: Backoff

        init(at now: ContinuousClock.Instant) {
            var backoff = Backoff(initial: 1, limit: 60, jitter: 0)
            due = now + backoff.next()
            self.backoff = backoff
        }
    }

    private let report: @Sendable (String) -> Void
    private var reminders: [String: Reminder] = [:]

    init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    mutating func insert(_ topic: String, at now: ContinuousClock.Instant) {
        guard reminders[topic] == nil else { return }
        reminders[topic] = Reminder(at: now)
        report(topic)
    }

    mutating func remove(_ topic: String) { reminders[topic] = nil }

    /// Reports the topics that are due.
    mutating func remind(at now: ContinuousClock.Instant) {
        for (topic, reminder) in reminders where reminder.due <= now {
            var next = reminder
            next.due = now + next.backoff.next()
            reminders[topic] = next
            report(topic)
        }
    }
}
