import ArgumentParser
import CaptureKit
import RialClient

struct QueueWithdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraws a capture that was sent, for good.",
        discussion: "What the phone has of it stays until `delete`. Without --yes the command asks first.")

    @Argument(help: "The capture's id in the store.")
    var id: LocalID
    @Flag(help: "Do not ask.")
    var yes = false
    @OptionGroup var options: QueueOptions
    @OptionGroup var server: ServerOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var enrolment: EnrolmentOptions

    func run() async throws {
        try CaptureWithdraw.confirm("\(id)", withoutAsking: yes)
        try await options.withNetwork(server, trust, enrolment) { queue in
            do {
                try await queue.withdraw(id)
            } catch WithdrawalFailure.notUploaded {
                throw CommandFailure("The capture was not sent yet; `rial queue delete` keeps it from being sent.")
            } catch WithdrawalFailure.notThere {
                throw CommandFailure("The server does not have the capture now; `rial queue delete` keeps it from being sent again.")
            } catch WithdrawalFailure.keysGone {
                throw CommandFailure("The keys that signed the capture are gone; the server's operator can withdraw it.")
            } catch WithdrawalFailure.refused(let error) {
                throw CommandFailure("The server refuses: \(Self.words(of: error))")
            } catch WithdrawalFailure.unclear(let error) {
                throw CommandFailure("It is not known whether the capture is withdrawn. The server said: \(Self.words(of: error))")
            }
        }
        Console.result("capture \(id) withdrawn")
    }

    private static func words(of error: ServerError) -> String { "\(error.message) (\(error.code ?? "status \(error.status)"))" }
}
