import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CaptureKit

@Suite("Waiting for something to happen", .timeLimit(.minutes(1)))
struct SignalsTests {
    /// A clock whose waits are short but real, and counted.
    private final class ShortClock: WallClock {
        struct Waits {
            var ended = 0
            var cancelled = 0
        }

        private let state = Mutex(Waits())
        var waits: Waits { state.withLock { $0 } }
        var now: Date { Date() }

        func sleep(for duration: Duration) async throws {
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                state.withLock { $0.cancelled += 1 }
                throw error
            }
            state.withLock { $0.ended += 1 }
        }
    }

    @Test("lasts as long as nothing happens, each time, and ends at a signal, also one before it")
    func waits() async throws {
        let clock = ShortClock()
        var signals = Signals()
        for number in 1...3 {
            let signal = signals.begin()
            try await signal.wait(atMost: .seconds(1), on: clock)
            signals.end(signal)
            #expect(clock.waits.ended == number && clock.waits.cancelled == 0)
        }
        let signal = signals.begin()
        signals.send()
        try await signal.wait(atMost: .seconds(3600), on: SystemWallClock())
    }

    @Test("a queue with nothing to send looks once in each wait, not as often as it can")
    func calm() async throws {
        let (rig, clock) = (try QueueRig(), ShortClock())
        let queue = CaptureQueue(store: try await rig.store.open(), signing: rig.signing, transport: rig.server, clock: clock)
        let running = Task { try await queue.run() }
        try await eventually(within: .seconds(30), "some waits have ended") { clock.waits.ended >= 5 }
        #expect(clock.waits.cancelled == 0)
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}
