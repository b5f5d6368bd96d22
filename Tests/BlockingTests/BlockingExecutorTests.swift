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

        /// - Returns: false if another call was inside at the same time.
        func block(milliseconds: UInt32) -> Bool {
            guard !isInside else { return false }
            isInside = true
            defer { isInside = false }
            usleep(milliseconds * 1000)
            return true
        }
    }

    @Test("lets as many actors block at once as there are")
    func blocksInParallel() async {
        let start = ContinuousClock.now
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { await Sleeper().block(milliseconds: 300) } }
            for await isAlone in group { #expect(isAlone) }
        }
        // One after another they would take 4.8 s, on a pool of two threads 2.4 s.
        #expect(start.duration(to: .now) < .seconds(2))
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
        let sleepers = (0..<8).map { _ in Sleeper() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sleeper in sleepers { group.addTask { _ = await sleeper.block(milliseconds: 1500) } }
            let start = ContinuousClock.now
            for _ in 0..<10 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(start.duration(to: .now) < .seconds(1))
            try await group.waitForAll()
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
