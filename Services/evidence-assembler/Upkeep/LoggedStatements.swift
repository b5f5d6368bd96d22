import Delivery
import Models

/// Notes where statements stand in the public log whose event did not come, and those of withdrawn captures, for which there is none.
struct LoggedStatements: Sendable {
    static let batchSize = 500
    let statements: any StatementRepository

    func note() async throws {
        while try await statements.noteLogged(limit: Self.batchSize) == Self.batchSize, !Task.isEnding {
            try Task.checkCancellation()
        }
    }
}
