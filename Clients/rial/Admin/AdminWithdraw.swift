import ArgumentParser
import CaptureProtocol
import Delivery

/// Withdraws any capture, on demand of a person or a court.
struct AdminWithdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraws a capture for good, whoever sent it.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase). What the tables know of the capture is erased at once; upload-sync deletes its \
            objects. `rial admin erased` says when nothing is left. This cannot be undone. For a capture that was withdrawn before, \
            upload-sync looks for objects once more, such as after the bucket was restored.
            """)

    @Argument(help: "The capture's id.")
    var id: CaptureID

    @Option(help: "Why, for the record of withdrawals, which is kept; do not say what the capture shows.")
    var reason: String

    func validate() throws {
        if reason.allSatisfy(\.isWhitespace) { throw ValidationError("--reason is empty.") }
    }

    func run() async throws {
        let withdrawals = PostgresWithdrawals(url: try OperatorSettings().databaseURL())
        let outcome = try await StartupRetry(dependency: "PostgreSQL") { try await withdrawals.withdraw(id, reason: reason) }
        switch outcome {
        case .withdrawn: Console.result("capture \(id) withdrawn")
        case .withdrawnBefore: Console.result("capture \(id) was already withdrawn: its objects are searched for again")
        case nil: throw CommandFailure("There is no capture \(id).")
        }
    }
}
