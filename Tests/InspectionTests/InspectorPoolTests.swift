import Foundation
import Inspection
import Models
import Synchronization
import TestSupport
import Testing

/// Tests the pool with shell scripts that misbehave as the inspector itself cannot be made to.
extension InspectionSuite {
    private static let report = #"{"assertions":[],"ingredients":0,"state":"none","validation_codes":[]}"#

    @Test(
        "answers for whatever becomes of the process",
        arguments: [
            ("kill -SEGV $$", .crash), ("kill -ABRT $$", .crash), ("echo memory allocation of 5 bytes failed >&2; kill -ABRT $$", .memory),
            ("kill -KILL $$", .memory), ("while :; do :; done", .limit), ("kill -XFSZ $$", .limit), ("kill -ALRM $$", .timeout),
            ("exec cat /dev/zero", .limit), ("echo nonsense; exit 1", .garbledAnswer), ("echo nonsense", .garbledAnswer),
            ("exit 0", .garbledAnswer), ("echo '\(report)'; exit 1", .garbledAnswer), ("echo '\(report)'; kill -SEGV $$", .crash),
            ("echo '{\"state\":\"splendid\"}'", .garbledAnswer), ("head -c 900000 /dev/zero | tr '\\0' '['", .garbledAnswer),
        ] as [(String, InspectionOutcome.Reason)])
    func misbehaves(script: String, reason: InspectionOutcome.Reason) async throws {
        let program = try TemporaryFile(script: script)
        let file = try TemporaryFile([1])
        let limits = InspectionLimits(wallClock: .seconds(20), cpu: .seconds(1))
        let outcome = try await Fixtures.pool(program.path, limits: limits).inspect(fileDescriptor: file.descriptor, mediaType: nil)
        #expect(outcome == .unreadable(reason: reason))
        #expect(try Fixtures.children().isEmpty)
    }

    @Test(
        "answers for what hangs within the wall clock, and ends it and what it has started",
        arguments: [
            "sleep 1000", "exec sleep 1000", "exec >&- 2>&-; sleep 1000", "echo '\(report)'; sleep 1000", "trap '' TERM INT; sleep 1000",
            "yes >&2",
        ])
    func hangs(script: String) async throws {
        let program = try TemporaryFile(script: script)
        let file = try TemporaryFile([1])
        let limits = InspectionLimits(wallClock: .milliseconds(400), cpu: .seconds(30))
        let start = ContinuousClock.now
        let outcome = try await Fixtures.pool(program.path, limits: limits).inspect(fileDescriptor: file.descriptor, mediaType: nil)
        let taken = start.duration(to: .now)
        #expect(outcome == .unreadable(reason: .timeout))
        #expect(taken >= .milliseconds(400) && taken < .seconds(30))
        #expect(try Fixtures.children().isEmpty)
    }

    @Test("accepts a report of exactly the largest size, and no larger one")
    func boundsOutput() async throws {
        let program = try TemporaryFile(script: "echo '\(Self.report)'")
        let file = try TemporaryFile([1])
        for (bytes, outcome) in [
            (Self.report.utf8.count + 1, InspectionOutcome.report(CredentialReport(state: .none))),
            (Self.report.utf8.count, .unreadable(reason: .limit)),
        ] {
            let pool = Fixtures.pool(program.path, limits: InspectionLimits(outputBytes: bytes))
            #expect(try await pool.inspect(fileDescriptor: file.descriptor, mediaType: nil) == outcome)
        }
    }

    @Test("gives the process the file from its start and the anchors and nothing else, and keeps the file's position")
    func isolates() async throws {
        setenv("RIAL_TEST_SECRET", "secret", 1)
        defer { unsetenv("RIAL_TEST_SECRET") }
        let leaked = open("/etc/passwd", O_RDONLY)
        defer { close(leaked) }
        let program = try TemporaryFile(
            script: """
                fds=$(for fd in /proc/self/fd/*; do [ -e "$fd" ] && printf '%s,' "${fd##*/}"; done)
                anchors=$(head -n 1 <&3)
                secret=$(tr '\\0' ' ' < /proc/$$/environ)
                printf '{"assertions":[],"ingredients":0,"state":"none","validation_codes":[],"title":"%s|%s|%s|%s|%s|%s"}' \
                    "$(cat)" "$fds" "$anchors" "$secret" "$(pwd)" "$*"
                """)
        let file = try TemporaryFile(Array("content".utf8))
        #expect(lseek(file.descriptor, 3, SEEK_SET) == 3)
        let outcome = try await Fixtures.pool(program.path).inspect(fileDescriptor: file.descriptor, mediaType: "image/png")
        guard case .report(let report) = outcome, let title = report.title else {
            Issue.record("\(outcome)")
            return
        }
        let parts = title.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 6)
        #expect(parts[0] == "content")
        // Descriptor 10 is the script itself, opened by the shell.
        #expect(Set(parts[1].split(separator: ",").compactMap { Int($0) }).subtracting([10]).isSubset(of: [0, 1, 2, 3, 4, 5]))
        #expect(parts[2] == "-----BEGIN CERTIFICATE-----")
        #expect(parts[3] == "SWIFT_BACKTRACE=enable=no ")
        #expect(parts[4] == "/")
        #expect(parts[5] == "--media-type image/png --memory-bytes 1073741824 --cpu-seconds 10 --wall-seconds 25")
        #expect(lseek(file.descriptor, 0, SEEK_CUR) == 3)
    }

    @Test("cancelling ends the process")
    func cancels() async throws {
        let note = try TemporaryFile()
        let program = try TemporaryFile(script: "echo $$ > \(note.path); sleep 1000")
        let file = try TemporaryFile([1])
        let pool = Fixtures.pool(program.path)
        let task = Task {
            do {
                return "\(try await pool.inspect(fileDescriptor: file.descriptor, mediaType: nil))"
            } catch {
                return "\(error)"
            }
        }
        var process: pid_t = 0
        try await eventually("the program runs") {
            process = pid_t(try String(contentsOfFile: note.path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            return process > 0
        }
        #expect(kill(process, 0) == 0)
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value == "\(InspectionError.cancelled)")
        #expect(start.duration(to: .now) < .seconds(20))
        #expect(kill(process, 0) == -1 && errno == ESRCH)
        #expect(try Fixtures.children().isEmpty)
    }

    @Test("refuses callers at once when the queue is full, serves the others in order, and drops cancelled ones")
    func bounds() async throws {
        let gate = try TemporaryFile()
        let program = try TemporaryFile(script: "while [ ! -s \(gate.path) ]; do sleep 0.01; done; echo '\(Self.report)'")
        let file = try TemporaryFile([1])
        let pool = Fixtures.pool(program.path, concurrency: 2, waiting: 3)
        func call() -> Task<Result<InspectionOutcome, InspectionError>, Never> {
            Task {
                do throws(InspectionError) {
                    return .success(try await pool.inspect(fileDescriptor: file.descriptor, mediaType: nil))
                } catch {
                    return .failure(error)
                }
            }
        }
        let running = [call(), call()]
        try await eventually("two processes run") { try Fixtures.children().count == 2 }
        let cancelled = call()
        cancelled.cancel()
        #expect(await cancelled.value == .failure(.cancelled))
        // Three of these five calls fit into the queue, in any order.
        let more = (0..<5).map { _ in call() }
        let busy = Counter()
        let watchers = more.map { task in Task { if await task.value == .failure(.busy) { busy.count.withLock { $0 += 1 } } } }
        try await eventually("two callers are refused") { busy.count.withLock { $0 } == 2 }
        try Data([1]).write(to: URL(fileURLWithPath: gate.path))
        for task in running { #expect(await task.value == .success(.report(CredentialReport(state: .none)))) }
        for watcher in watchers { await watcher.value }
        #expect(busy.count.withLock { $0 } == 2)
        #expect(try Fixtures.children().isEmpty)
    }

    @Test("leaves Swift's own threads free while more processes hang than there are threads")
    func staysResponsive() async throws {
        let program = try TemporaryFile(script: "exec sleep 1000")
        let file = try TemporaryFile([1])
        // So long that the last one is started before the first one is ended.
        let pool = Fixtures.pool(program.path, concurrency: 32, limits: InspectionLimits(wallClock: .seconds(12)))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    try await pool.inspect(fileDescriptor: file.descriptor, mediaType: nil) == .unreadable(reason: .timeout)
                }
            }
            try await eventually("all processes run") { try Fixtures.children().count == 32 }
            for try await isTimeout in group { #expect(isTimeout) }
        }
        #expect(try Fixtures.children().isEmpty)
    }

    @Test("reports a fault of the installation, not of the file")
    func isUnavailable() async throws {
        let file = try TemporaryFile([1])
        let misconfigured = try TemporaryFile(script: "echo no sandbox here >&2; exit 78")
        let (older, incomplete) = (try TemporaryFile(script: "echo usage >&2; exit 64"), try TemporaryFile(script: "exit 127"))
        let pools = [
            (Fixtures.pool("/nonexistent"), "/nonexistent: No such file or directory"),
            (Fixtures.pool(misconfigured.path), "no sandbox here"), (Fixtures.pool(older.path), "usage"),
            (Fixtures.pool(incomplete.path), "the program ended with exit status 127"),
            (
                InspectorPool(executable: "/bin/true", trustAnchorsFile: "/nonexistent.pem", concurrency: 1, waiting: 0),
                "/nonexistent.pem: No such file or directory"
            ),
        ]
        for (pool, sentence) in pools {
            await #expect(throws: InspectionError.unavailable(sentence)) {
                try await pool.inspect(fileDescriptor: file.descriptor, mediaType: nil)
            }
            await #expect(throws: InspectionError.unavailable(sentence)) { try await pool.selfTest() }
        }
        await #expect(throws: InspectionError.self) { try await Fixtures.pool("/bin/true").selfTest() }
    }
}

private final class Counter: Sendable {
    let count = Mutex(0)
}
