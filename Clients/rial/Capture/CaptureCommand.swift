import ArgumentParser

/// Sends captures and shows what became of them.
struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Sends a capture, or shows one with its evidence.",
        subcommands: [CaptureSend.self, CaptureShow.self])
}
