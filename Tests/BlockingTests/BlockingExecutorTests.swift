import Blocking
import Foundation
import Synchronization
import Testing

@Suite("Blocking executor")
struct BlockingExecutorTests {
    /// Blocks its thread, as a C call would.
    private actor Sleeper {
        private let executor = BlockingExecutor(label: "test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private var isInside = false

        /// - Returns: false if another call was in progress at the same time.
        func block(milliseconds: UInt32) -> Bool {
            guard !isInside else { return false }
            isInside = true
            defer { isInside = false }
            usleep(milliseconds * 1000)
            return true
        }

        /// Blocks its thread until the gate opens.
        /// - Returns: false if it did not open within a minute.
        func pass(_ gate: Gate) -> Bool { gate.wait() }
    }

    /// Opens after the given number of waiters; each waiter blocks its thread.
    private final class Gate: Sendable {
        private let condition = NSCondition()
        private let missing: Mutex<Int>

        init(opensAfter count: Int) { missing = Mutex(count) }

        func arrive() {
            condition.lock()
            missing.withLock { $0 -= 1 }
            condition.broadcast()
            condition.unlock()
        }

        func wait() -> Bool {
            let deadline = Date().addingTimeInterval(60)
            condition.lock()
            defer { condition.unlock() }
            while missing.withLock({ $0 > 0 }) {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }

    @Test("lets as many actors block at once as it has threads")
    func blocksInParallel() async {
        // Each blocks its thread until all sixteen wait: fewer threads than actors would never open the gate.
        let gate = Gate(opensAfter: 16)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let sleeper = Sleeper()
                    gate.arrive()
                    return await sleeper.pass(gate)
                }
            }
            for await hasPassed in group { #expect(hasPassed) }
        }
    }

    @Test("runs one actor's calls one at a time")
    func isSerial() async {
        let sleeper = Sleeper()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { await sleeper.block(milliseconds: 2) } }
            for await isAlone in group { #expect(isAlone) }
        }
    }

    @Test("keeps the cooperative pool free")
    func poolStaysFree() async throws {
        // The task that opens the gate runs on the cooperative pool: if the blocked calls ran there too, it would never run.
        let gate = Gate(opensAfter: 10)
        let sleepers = (0..<8).map { _ in Sleeper() }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for sleeper in sleepers { group.addTask { await sleeper.pass(gate) } }
            for _ in 0..<10 {
                try await Task.sleep(for: .milliseconds(1))
                gate.arrive()
            }
            for try await hasPassed in group { #expect(hasPassed) }
        }
    }

    @Test("runs a single call and passes its error on")
    func runsOneCall() async throws {
        struct Failure: Error {}
        let executor = BlockingExecutor(label: "test")
        #expect(try await executor.run { 42 } == 42)
        await #expect(throws: Failure.self) { try await executor.run { throw Failure() } }
    }
}
