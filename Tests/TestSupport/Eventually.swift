/// Waits until a condition holds. An error in the condition counts as "not yet".
/// - Parameter what: a description of the condition for the failure's text.
/// - Throws: ``DeadlinePassed`` after `limit`, with the condition's last error.
public func eventually(
    within limit: Duration = .seconds(60), _ what: String, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    var pause: Duration = .milliseconds(5)
    var lastError: (any Error)?
    while true {
        do {
            if try await condition() { return }
            lastError = nil
        } catch {
            lastError = error
        }
        guard ContinuousClock.now < deadline else { throw DeadlinePassed(what: what, lastError: lastError) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(100))
    }
}

/// The condition did not hold before the deadline.
public struct DeadlinePassed: Error, CustomStringConvertible {
    let what: String
    let lastError: (any Error)?

    public init(what: String, lastError: (any Error)? = nil) {
        self.what = what
        self.lastError = lastError
    }

    public var description: String { "not in time: \(what)" + (lastError.map { ": \($0)" } ?? "") }
}

/// Returns the error of this type that the body throws; `nil` if it throws none or another.
public func error<Failure: Error>(_ type: Failure.Type, of body: () async throws -> Void) async -> Failure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? Failure
    }
}
