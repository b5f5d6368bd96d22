import Foundation
import TestSupport
import Testing

/// A local stack, started by the project's scripts with the test's settings.
struct LocalStack: Sendable {
    @TaskLocal static var current: LocalStack?
    let name: String
    let settings: [String: String]
    /// The variables in `stack.env`.
    let addresses: [String: String]
    /// The folder in which fail points are armed.
    let failPoints: URL

    static var isAvailable: Bool {
        let manager = FileManager.default
        let root = SharedData.projectRoot
        return manager.isExecutableFile(atPath: root.appendingPathComponent(".build/debug/gateway").path)
            && manager.fileExists(atPath: root.appendingPathComponent(".local/tools").path)
    }

    var url: String { addresses["RIAL_PUBLIC_URL"] ?? "" }

    /// - Parameter prepare: runs before the stack starts, while its folder is empty.
    static func up(
        _ name: String, _ settings: [String: String], after prepare: () async throws -> Void = {}
    ) async throws -> LocalStack {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-fail-points-\(name)-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var all = settings.merging(["RIAL_FAIL_POINTS": folder.path]) { old, _ in old }
        // `RIAL_TEST_BUILD=release` tests services of another build configuration.
        all["RIAL_BUILD"] = ProcessInfo.processInfo.environment["RIAL_TEST_BUILD"]
        try await script(["clean", name], [:])
        try await prepare()
        try await script(["up", name], all)
        return LocalStack(name: name, settings: all, addresses: try values(in: "stack.env", of: name), failPoints: folder)
    }

    /// The variables in a settings file in the stack's folder.
    static func values(in file: String, of stack: String) throws -> [String: String] {
        let url = SharedData.projectRoot.appendingPathComponent(".local/\(stack)/\(file)")
        let pairs = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").compactMap { line -> (String, String)? in
            guard let equals = line.firstIndex(of: "=") else { return nil }
            let value = line[line.index(after: equals)...].trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
            return (String(line[..<equals]), value)
        }
        return Dictionary(pairs) { _, last in last }
    }

    func down() async throws {
        try await Self.script(["clean", name], [:])
        try? FileManager.default.removeItem(at: failPoints)
    }

    /// Runs `start`, `stop`, `kill` or `restart` for a part of this stack.
    func control(_ verb: String, _ part: String, _ number: Int = 1, settings more: [String: String] = [:]) async throws {
        let all = settings.merging(more) { _, new in new }.merging(["STACK": name]) { _, new in new }
        try await Self.script([verb, part, String(number)], all)
    }

    /// Runs SQL as the database's owner and returns the rows as text, with "|" between columns.
    func sql(_ statement: String) async throws -> [String] {
        let output = try await Self.run("/usr/bin/env", ["psql", addresses["RIAL_DATABASE_URL"] ?? "", "-tAqc", statement], [:])
        return output.split(separator: "\n").map(String.init)
    }

    static func script(_ arguments: [String], _ settings: [String: String]) async throws {
        _ = try await run(SharedData.projectRoot.appendingPathComponent("scripts/stack.sh").path, arguments, settings)
    }

    struct CommandFailed: Error {
        let command: String
        let output: String
    }

    static func run(_ program: String, _ arguments: [String], _ settings: [String: String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try runBlocking(program, arguments, settings) })
            }
        }
    }

    private static func runBlocking(_ program: String, _ arguments: [String], _ settings: [String: String]) throws -> String {
        // Output goes to a file, since background processes would keep a pipe open.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("rial-\(UUID().uuidString).out")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = process(program, arguments, settings, output: handle)
        try withoutBlockedSignals { try process.run() }
        process.waitUntilExit()
        let output = try String(contentsOf: file, encoding: .utf8)
        guard process.terminationStatus == 0 else {
            throw CommandFailed(command: ([program] + arguments).joined(separator: " "), output: output)
        }
        return output
    }

    /// A thread of Dispatch blocks nearly all signals, and what it starts would too: a broker was not ended by SIGTERM.
    private static func withoutBlockedSignals(_ start: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try start()
    }

    /// A process that is not yet started, with these settings and no others of ours.
    static func process(_ program: String, _ arguments: [String], _ settings: [String: String], output: FileHandle) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let kept = ["RIAL_KAFKA_FETCH_WAIT_MS", "RIAL_KAFKA_PARTITIONS", "RIAL_CONSUMERS"]
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("RIAL_") && !$0.key.hasPrefix("OTEL_") || kept.contains($0.key) }
            .merging(settings) { _, new in new }
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        return process
    }
}

/// Starts a stack before a suite and stops it afterwards.
struct LocalStackTrait: SuiteTrait, TestScoping {
    let name: String
    let settings: [String: String]
    var prepare: @Sendable (_ name: String) async throws -> Void = { _ in }
    var isRecursive: Bool { false }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        guard LocalStack.isAvailable else { return try await function() }
        let stack = try await LocalStack.up(name, settings) { try await prepare(name) }
        do {
            try await LocalStack.$current.withValue(stack) { try await function() }
        } catch {
            try? await stack.down()
            throw error
        }
        try await stack.down()
    }
}

extension Trait where Self == LocalStackTrait {
    /// `RIAL_TEST_STACK` replaces the name, so that two runs in one checkout do not share a stack.
    static func localStack(_ name: String, _ settings: [String: String]) -> Self {
        Self(name: ProcessInfo.processInfo.environment["RIAL_TEST_STACK"] ?? name, settings: settings)
    }
}
