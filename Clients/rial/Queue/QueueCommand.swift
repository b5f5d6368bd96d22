import ArgumentParser
import CaptureKit
import RialClient

/// The queue of the device library.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Keeps captures sealed and sends them as the phone's app does.",
        discussion: """
            A simulated phone in a folder: captures are sealed in its store at once, and sent when `run` reaches the server. Any number of \
            processes may use a folder; one sends.
            """,
        subcommands: [
            QueueAdd.self, QueueRun.self, QueueList.self, QueueWatch.self, QueueRetry.self, QueueDelete.self, QueueExport.self,
            QueueWithdraw.self,
        ])
}

struct QueueRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Sends what is in the store.",
        discussion: "Registers the phone if necessary. Waits while another process sends.")

    @Flag(help: "End when nothing is left that can be sent without a person.")
    var untilEmpty = false
    @Option(help: "Give up an attempt after this many seconds without a byte sent or received.")
    var idleTimeout = 60
    @OptionGroup var options: QueueOptions
    @OptionGroup var server: ServerOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var enrolment: EnrolmentOptions

    func validate() throws {
        guard (1...3600).contains(idleTimeout) else { throw ValidationError("--idle-timeout is 1 to 3600.") }
    }

    func run() async throws {
        var timeouts = AsyncHTTPTransport.Timeouts()
        timeouts.idle = .seconds(idleTimeout)
        try await options.withNetwork(server, trust, enrolment, timeouts) { queue in try await queue.run(untilEmpty: untilEmpty) }
    }
}

struct QueueRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Tries a capture that failed again.",
        discussion: "Also one that was sent, if the server reports it failed or does not know it: the same is sent once more.")

    @Argument(help: "The capture's id in the store.")
    var id: LocalID
    @Flag(help: "Send a capture whose assertion failed without it.")
    var withoutAssertion = false
    @OptionGroup var options: QueueOptions

    func run() async throws {
        let queue = try await options.offline()
        if withoutAssertion { try await queue.sendWithoutAssertion(id) } else { try await queue.retry(id) }
    }
}

struct QueueDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes a capture from the store, sent or not.",
        discussion: """
            In privacy mode there is no other copy of the photo or video, unless it was exported. Nothing is deleted on the server, which may \
            have a capture whose answer was lost: `withdraw` finds out.
            """)

    @Argument(help: "The capture's id in the store.")
    var id: LocalID
    @OptionGroup var options: QueueOptions

    func run() async throws { try await options.offline().delete(id) }
}
