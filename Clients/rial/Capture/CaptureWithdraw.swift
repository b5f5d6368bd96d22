import ArgumentParser
import CaptureProtocol
import RialClient

struct CaptureWithdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraws a capture for good, as the device that sent it.",
        discussion: "The request is signed by the device in the state file. Without --yes the command asks first.")

    /// What a person must know before it happens.
    static let consequences = """
        The server deletes the photo, its depth map, the evidence and all else that it knows of this capture. This cannot be undone.
        The capture's page will say that it was withdrawn, and on which day.
        What others have downloaded stays with them, with the Content Credentials inside.
        """

    @Argument(help: "The capture's id.")
    var id: CaptureID

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let client = try server.client()
        let session = try DeviceSession(file: stateOptions.file())
        try Self.confirm("\(id)", withoutAsking: yes)
        try await client.withdraw(id, signer: session)
        Console.result("capture \(id) withdrawn")
    }

    /// Says what follows from a withdrawal, and asks whether it is wanted.
    /// - Throws: ``CommandFailure`` if it is not.
    static func confirm(_ id: String, withoutAsking: Bool) throws {
        Console.progress(consequences)
        guard !withoutAsking else { return }
        Console.progress("Type “withdraw” to withdraw capture \(id):")
        guard readLine() == "withdraw" else { throw CommandFailure("The capture was not withdrawn.") }
    }
}
