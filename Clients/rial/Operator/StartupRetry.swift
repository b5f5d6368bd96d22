import Blocking
import Messaging
import ObjectStorage
import Persistence

/// Retries for up to a minute while a dependency is unreachable, for example because it is starting.
struct StartupRetry {
    /// How long it is tried.
    var timeout: Duration = .seconds(60)
    /// The dependency's name for messages, such as "PostgreSQL".
    let dependency: String

    /// - Throws: ``CommandFailure`` for a permanent failure, or for the last failure after the timeout.
    func callAsFunction<T>(_ body: () async throws -> T) async throws -> T {
        let deadline = ContinuousClock.now + timeout
        var backoff = Backoff(initial: 0.1, limit: 2)
        var hasTold = false
        while true {
            do {
                return try await body()
            } catch let error where Self.isTransient(error) && ContinuousClock.now < deadline {
                if !hasTold { Console.progress("waiting for \(dependency) …") }
                hasTold = true
                try await Task.sleep(for: backoff.next())
            } catch let error where Self.isTransient(error) && !Self.tookTooLong(error) {
                throw CommandFailure(
                    "\(dependency) could not be reached within \(timeout.components.seconds) s: \(Self.message(of: error))")
            } catch let error where Self.isOfDependency(error) {
                throw CommandFailure("\(dependency) refused: \(Self.message(of: error))")
            }
        }
    }

    /// The server is there, and ended a statement at its timeout.
    private static func tookTooLong(_ error: any Error) -> Bool { (error as? PostgresError)?.sqlState == "57014" }

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
            // A wrong password or name is permanent, although libpq reports it as a failed connection.
            error.isTransient && !["authentication failed", "does not exist", "pg_hba.conf"].contains { error.message.contains($0) }
        case let error as KafkaError: error.isTransient
        // A wrong key is permanent for the duration of the command.
        case let error as ObjectStorageError: error.isUnreachable
        default: false
        }
    }
}
