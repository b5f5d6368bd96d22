/// Runs the work with a timeout. After the timeout it returns `nil` at once; the work is cancelled, without waiting for its end.
public func withTimeout<Result: Sendable>(
    _ limit: Duration, of work: @escaping @Sendable () async -> Result
) async -> Result? {
    let (results, continuation) = AsyncStream.makeStream(of: Result.self, bufferingPolicy: .bufferingOldest(1))
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
    return await results.first { _ in true }
}
