import ArgumentParser
import Foundation

/// Creates the root certificate for simulated devices.
struct AdminDevelopmentRoot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "development-root",
        abstract: "Creates a root certificate for simulated devices, unless there is one.",
        discussion: """
            Writes app-attest-root.pem, for RIAL_APP_ATTEST_EXTRA_ROOTS of a server in development mode, and the keys that sign \
            simulated attestations. Set RIAL_DEVELOPMENT_ROOT_DIR to the folder.
            """)

    @Option(help: "Folder to write to; created if missing.")
    var out: String

    func run() throws {
        let root = DevelopmentRoot(folder: URL(fileURLWithPath: out, isDirectory: true))
        try root.create()
        Console.result("development root: \(root.certificate.path)")
    }
}
