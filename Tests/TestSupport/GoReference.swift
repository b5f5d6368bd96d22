import Foundation

/// Go's sumdb/note and sumdb/tlog, of Debian's packages, in the program `Tests/TransparencyLogTests/Reference/main.go`.
public enum GoReference {
    private static let packages = "/usr/share/gocode"
    private static let go = "/usr/bin/go"

    public static var isPresent: Bool {
        let manager = FileManager.default
        return manager.isExecutableFile(atPath: go) && manager.fileExists(atPath: packages + "/src/golang.org/x/mod/sumdb/tlog")
    }

    /// Builds it once for all tests, and runs it.
    /// - Parameter arguments: a folder with a log and a file `proofs`, the log's verifier key, and that of a witness.
    public static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try execute(program.get().path, arguments, [:])
    }

    private static let program = Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-go-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = SharedData.projectRoot.appendingPathComponent("Tests/TransparencyLogTests/Reference/main.go").path
        let program = folder.appendingPathComponent("reference")
        // Without modules the packages come from Debian's tree, and nothing is fetched.
        let built = try execute(
            go, ["build", "-o", program.path, source],
            ["GO111MODULE": "off", "GOPATH": packages, "GOCACHE": folder.appendingPathComponent("cache").path, "GOFLAGS": ""])
        guard built.status == 0 else { throw ProgramError(output: built.output) }
        return program
    }

    struct ProgramError: Error {
        let output: String
    }

    private static func execute(_ path: String, _ arguments: [String], _ environment: [String: String]) throws -> (
        status: Int32, output: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
