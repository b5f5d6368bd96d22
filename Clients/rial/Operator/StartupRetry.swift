import Blocking
import Messaging
import ObjectStorage
import Persistence

/// Retries for up to a minute while a dependency cannot be reached, as when it is just starting.
struct StartupRetry {
    static let timeout: Duration = .seconds(60)
    /// What is waited for, such as "PostgreSQL".
    let dependency: String

    /// - Throws: ``CommandFailure`` for a failure that waiting cannot cure, and for the last one after the timeout.
    func callAsFunction<T>(_ body: () async throws -> T) async throws -> T {
        let deadline = ContinuousClock.now + Self.timeout
        var backoff = Backoff(initial: 0.1, limit: 2)
        var hasTold = false
        while true {
            do {
                return try await body()
            } catch let error where Self.isTransient(error) && ContinuousClock.now < deadline {
                if !hasTold { Console.progress("waiting for \(dependency) …") }
                hasTold = true
                try await Task.sleep(for: backoff.next())
            } catch let error where Self.isTransient(error) {
                throw CommandFailure(
                    "\(dependency) could not be reached within \(Self.timeout.components.seconds) s: \(Self.message(of: error))")
            } catch let error where Self.isOfDependency(error) {
                throw CommandFailure("\(dependency) refused: \(Self.message(of: error))")
            }
        }
    }

    private static func isOfDependency(_ error: any Error) -> Bool {
        error is PostgresError || error is KafkaError || error is ObjectStorageError
    }

    private static func message(of error: any Error) -> String {
        switch error {
        case let error as PostgresError: error.message + (error.cause.map { " (\(message(of: $0)))" } ?? "")
        case let error as ObjectStorageError: error.message
        default: "\(error)"
        }
    }

    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case let error as PostgresError:
            // A wrong password or name stays wrong, although libpq reports it as a failed connection.
            error.isTransient && !["authentication failed", "does not exist", "pg_hba.conf"].contains { error.message.contains($0) }
        case let error as KafkaError: error.isTransient
        // A wrong key stays wrong while the command runs.
        case let error as ObjectStorageError: error.isUnreachable
        default: false
        }
    }
}
