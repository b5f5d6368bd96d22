/// Yields numbers from 0, `1 / rate` seconds apart, regardless of the duration of the work for each.
struct Pace: AsyncSequence {
    let rate: Double
    let duration: Duration
    let start: ContinuousClock.Instant

    init(rate: Double, for duration: Duration, from start: ContinuousClock.Instant) {
        self.rate = rate
        self.duration = duration
        self.start = start
    }

    func makeAsyncIterator() -> Iterator { Iterator(pace: self) }

    struct Iterator: AsyncIteratorProtocol {
        let pace: Pace
        private var number = 0

        init(pace: Pace) { self.pace = pace }

        /// `nil` after the duration, or once the task is cancelled.
        mutating func next() async -> Int? {
            let due = Duration.seconds(Double(number) / pace.rate)
            guard due < pace.duration, (try? await Task.sleep(until: pace.start + due, clock: .continuous)) != nil else { return nil }
            defer { number += 1 }
            return number
        }
    }
}
