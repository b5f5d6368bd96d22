import Foundation
import Testing

@testable import Blocking

@Suite("Background threads")
struct BackgroundThreadTests {
    private struct Failure: Error {}

    private static func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test("return what the work returns, and throw what it throws")
    func results() async throws {
        #expect(try await BackgroundThread.run(label: "test") { 7 } == 7)
        await #expect(throws: Failure.self) { try await BackgroundThread.run(label: "test") { throw Failure() } }
    }

    #if os(Linux)
    @Test("let others have the processors first, and leave the priority of other threads as it is")
    func priority() async throws {
        let before = Self.niceness()
        let within = try await BackgroundThread.run(label: "test") { Self.niceness() }
        #expect(within == max(before, BackgroundThread.niceness))
        // The pool has a thread for each processor: one task alone may see one that was never in question.
        for _ in 0..<8 { #expect(await Task.detached { Self.niceness() }.value == before) }
    }
    #endif
}
