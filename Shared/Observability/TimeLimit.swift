/// Runs the work with a timeout. After the timeout it returns `nil` at once; the work is cancelled, without waiting for its end.
public func answer<Answer: Sendable>(
    within limit: Duration, of work: @escaping @Sendable () async -> Answer
) async -> Answer? {
    let (answers, continuation) = AsyncStream.makeStream(of: Answer.self, bufferingPolicy: .bufferingOldest(1))
    let working = Task {
        continuation.yield(await work())
        continuation.finish()
    }
    let waiting = Task {
        try? await Task.sleep(for: limit)
        continuation.finish()
    }
    defer {
        working.cancel()
        waiting.cancel()
    }
    return await answers.first { _ in true }
}
