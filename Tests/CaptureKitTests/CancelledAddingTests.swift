import CaptureProtocol
import Testing

@testable import CaptureKit

@Suite("Adding a capture in a task that is cancelled")
struct CancelledAddingTests {
    /// Cancels the task that has a capture signed.
    private struct CancellingSigning: CaptureSigning {
        private let signing = ScriptedSigning()

        func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt {
            withUnsafeCurrentTask { $0?.cancel() }
            return await signing.assertion(over: clientDataHash)
        }

        func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID { try await signing.currentDevice(replacing: refused) }
        func signer(for device: DeviceID) async throws -> (any RequestSigner)? { try await signing.signer(for: device) }
        func forgetDevices(except needed: Set<DeviceID>) async throws { try await signing.forgetDevices(except: needed) }
    }

    private let rig: QueueRig

    init() throws { rig = try QueueRig() }

    private func queue() async throws -> CaptureQueue {
        CaptureQueue(store: try await rig.store.open(), signing: CancellingSigning(), transport: rig.server, clock: rig.clock)
    }

    @Test("tells that a photo is there, so that nobody adds it twice")
    func photo() async throws {
        let queue = try await queue()
        let adding = Task { try await queue.add(SampleContent()) }
        let added = try await adding.value
        #expect(adding.isCancelled && added.state == .pending && added.hasAssertion)
        #expect(try await queue.store.captures() == [added])
        try await queue.store.expectWhole("after it was added")
    }

    @Test("tells that a video is there")
    func video() async throws {
        let queue = try await queue()
        let adding = Task { try await queue.record(NoiseCamera(pictures: 30)) }
        let added = try await adding.value
        #expect(adding.isCancelled && added.facts.video?.frameCount == 30 && added.hasAssertion)
        #expect(try await queue.store.captures() == [added])
        try await queue.store.expectWhole("after it was added")
    }
}
