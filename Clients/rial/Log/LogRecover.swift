import ArgumentParser
import Foundation

/// Recovers a frozen shard, by the service's own program.
struct LogRecover: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Recovers a frozen shard of the public log: the open one, else one that is closed.",
        discussion: """
            Puts back from the bucket what the newest head proves, queues entries again that were never signed, checks everything, and \
            only then lets the service go on. Reads \(OperatorSettings.ownerDatabase), and RIAL_S3_…; runs `transparency-log recover`, \
            which lies beside this program. No instance may write the log meanwhile. Exits with 1 if the shard cannot be recovered.
            """)

    func run() throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = own.deletingLastPathComponent().appendingPathComponent("transparency-log").path
        let words: [String] = [program, "recover"]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        execv(program, arguments)
        throw CommandFailure("\(program) cannot be run: \(String(cString: strerror(errno))).")
    }
}
