import Foundation
import Testing

@testable import RialCLI

@Suite("Results of commands")
struct ConsoleTests {
    private static let full = URL(fileURLWithPath: "/dev/full")
    private static var hasFull: Bool { FileManager.default.fileExists(atPath: full.path) }

    @Test("say when they cannot be written", .enabled(if: hasFull, "there is no /dev/full"))
    func noSpace() throws {
        let handle = try FileHandle(forWritingTo: Self.full)
        let failure = #expect(throws: CommandFailure.self) { try Console.write("a", to: handle) }
        #expect(failure?.description.contains("cannot be written") == true)
    }

    @Test("are whole in a file")
    func file() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("rial-result-\(UUID().uuidString)")
        try Data().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let handle = try FileHandle(forWritingTo: url)
        for line in ["a", "é"] { try Console.write(line, to: handle) }
        #expect(try String(contentsOf: url, encoding: .utf8) == "a\né\n")
    }

    @Test("may end before their end in a pipe that nobody reads any more")
    func closedPipe() throws {
        // As the program does.
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        #expect(throws: Never.self) { try Console.write("a", to: pipe.fileHandleForWriting) }
    }

    @Test(
        "that are lost end a command with 1, though it has done its work", .enabled(if: hasFull, "there is no /dev/full"),
        .enabled(if: WitnessProcess.isBuilt, "\(WitnessProcess.need)"))
    func exitCode() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-result-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appendingPathComponent("key").path
        let (process, errors) = (Process(), Pipe())
        process.executableURL = WitnessProcess.program
        process.arguments = ["witness", "key", "--name", "witness.example/w1", "--out", key]
        process.standardOutput = try FileHandle(forWritingTo: Self.full)
        process.standardError = errors
        try process.run()
        let said = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(String(decoding: said, as: UTF8.self).contains("cannot be written"))
        #expect(FileManager.default.fileExists(atPath: key))
    }
}
