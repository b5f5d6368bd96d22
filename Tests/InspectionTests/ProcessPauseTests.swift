import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Inspection

@Suite("When processes are stopped")
final class PauseScheduleTests {
    private let start = ContinuousClock.now
    private var schedule = PauseSchedule()

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
    private func begin(at time: Int, isAnyRunning: Bool = true) -> Bool { schedule.begin(at: at(time), isAnyRunning: isAnyRunning) }
    private func end(at time: Int) -> Bool { schedule.end(at: at(time)) }
    private func expire(stopOf begin: Int, at time: Int) -> Bool { schedule.expire(stopOf: at(begin), at: at(time)) }

    @Test("from the first that is urgent to the end of the last")
    func overlapping() {
        #expect(begin(at: 0))
        #expect(!begin(at: 50))
        #expect(!end(at: 100))
        #expect(end(at: 120))
    }

    @Test("no longer than a stop may last, whatever is still in hand")
    func expires() {
        #expect(begin(at: 0))
        #expect(expire(stopOf: 0, at: 250))
        #expect(!end(at: 300))
    }

    @Test("not before they ran as long as they were stopped")
    func halfOfTheTime() {
        #expect(begin(at: 0))
        #expect(end(at: 200))
        #expect(!begin(at: 399))
        #expect(!end(at: 399))
        #expect(begin(at: 400))
    }

    @Test("the end of an earlier stop does not end a later one")
    func lateExpiry() {
        #expect(begin(at: 0))
        #expect(end(at: 100))
        #expect(begin(at: 200))
        #expect(!expire(stopOf: 0, at: 250))
        #expect(expire(stopOf: 200, at: 450))
    }

    @Test("not without a process, which costs the next one nothing")
    func none() {
        #expect(!begin(at: 0, isAnyRunning: false))
        #expect(!end(at: 100))
        #expect(begin(at: 101))
    }
}

extension InspectionSuite {
    /// The state of the only child process, as in proc(5); `nil` if there is none.
    private func childState() throws -> Substring? { try Fixtures.children().first.map { Fixtures.fields(behindName: $0)[1] } }

    @Test("stops what has begun to write while something is urgent, lets it go on in time, and its end is what it would have been")
    func pauses() async throws {
        let program = try TemporaryFile(script: "echo begun; read word < \"$1\"; echo \"$word\"")
        let file = try TemporaryFile([1])
        let fifo = program.path + ".fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        defer { unlink(fifo) }
        let stops = Mutex(0)
        let pause = ProcessPause { stops.withLock { $0 += 1 } }
        let sandboxed = SandboxedProgram(
            executable: program.path, label: "paused", concurrency: 1, waiting: 0, limits: InspectionLimits(), pause: pause)
        let output = Mutex("")
        // Nothing runs yet, so nothing stops.
        await pause.during {}
        async let result = sandboxed.run([fifo], on: file.descriptor) { bytes in
            output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return true
        }
        try await waitUntil("the process writes") { output.withLock { $0 == "begun\n" } }
        #expect(stops.withLock { $0 } == 0)
        try await pause.during {
            try await waitUntil("it is stopped") { try childState() == "T" }
            // Though the urgent work is not done.
            try await waitUntil("it goes on") { try childState() == "S" }
        }
        try await waitUntil("a second stop") {
            try await pause.during {
                guard stops.withLock({ $0 }) == 2 else { return false }
                try await waitUntil("it is stopped") { try childState() == "T" }
                return true
            }
        }
        try await waitUntil("it goes on at the end of the urgent work") { try childState() == "S" }
        try Data("done\n".utf8).write(to: URL(fileURLWithPath: fifo))
        #expect(try await result.isSuccess)
        #expect(output.withLock { $0 } == "begun\ndone\n")
        #expect(try Fixtures.children().isEmpty)
        await pause.during {}
        #expect(stops.withLock { $0 } == 2)
    }

    @Test("a stopped process that is cancelled ends at once")
    func cancelledWhileStopped() async throws {
        let program = try TemporaryFile(script: "echo begun; exec sleep 1000")
        let file = try TemporaryFile([1])
        let pause = ProcessPause()
        let sandboxed = SandboxedProgram(
            executable: program.path, label: "paused", concurrency: 1, waiting: 0, limits: InspectionLimits(), pause: pause)
        let hasBegun = Mutex(false)
        let run = Task {
            try await sandboxed.run([], on: file.descriptor) { _ in
                hasBegun.withLock { $0 = true }
                return true
            }
        }
        try await waitUntil("the process writes") { hasBegun.withLock { $0 } }
        try await pause.during {
            try await waitUntil("it is stopped") { try childState() == "T" }
            run.cancel()
            #expect(try await run.value.end == .cancelled)
        }
        #expect(try Fixtures.children().isEmpty)
    }
}
