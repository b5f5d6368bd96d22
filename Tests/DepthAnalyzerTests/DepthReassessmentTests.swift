import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import DepthAnalyzer

@Suite("Depth that is measured again", .sharedSchema("measurements"))
struct DepthReassessmentTests {

    /// In memory, and in PostgreSQL if it is configured.
    private static var queues: [any TestQueue] {
        [MemoryMeasurementQueue()] + (TestSchema.isConfigured ? [PostgresTestQueue()] as [any TestQueue] : [])
    }

    private func run(_ queue: any TestQueue, _ store: MemoryObjectStore) async throws {
        try await DepthReassessment(
            queue: try queue.queue, analysis: CaptureAnalysis(storage: store, videos: .unused(store)), logger: .quiet
        ).run()
    }

    @Test("gives the same numbers as the first time, of photos and hash-only captures, and stores nothing")
    func measures() async throws {
        for queue in Self.queues {
            let store = MemoryObjectStore()
            let (photo, hashOnly) = (try await DepthSample(in: store).announcement, try HashOnlySamples.announcement())
            for announcement in [photo, hashOnly] { try await queue.add(announcement, isRequested: true) }
            let idle = try await DepthSample(in: store).announcement
            try await queue.add(idle, isRequested: false)
            let keys = store.keys
            try await run(queue, store)
            #expect(store.keys == keys)
            let first = try await CaptureAnalysis(storage: store, videos: .unused(store)).run(photo)
            let again = try #require(try await queue.measured(photo.captureID))
            #expect(again.measurements == first.measurements && again.measurements != nil)
            #expect(again.preview == nil && again.pictures == [:])
            #expect(try await queue.measured(hashOnly.captureID)?.measurements == DepthMeasurements(HashOnlySamples.depth))
            #expect(try await queue.measured(idle.captureID) == nil)
        }
    }

    @Test("is refused for bytes that are gone, by name; the others are measured")
    func gone() async throws {
        for queue in Self.queues {
            let store = MemoryObjectStore()
            let (lost, sound) = (try await DepthSample(in: store).announcement, try await DepthSample(in: store).announcement)
            for announcement in [lost, sound] { try await queue.add(announcement, isRequested: true) }
            try await store.delete([MediaName.original.key(of: lost.captureID)])
            try await run(queue, store)
            #expect(try await queue.outcome(lost.captureID) == FailureReason.intakeMissing.rawValue)
            #expect(try await queue.measured(sound.captureID) != nil)
            #expect(try await queue.outcome(sound.captureID) == nil)
        }
    }

    @Test("waits for a store that is away, and is taken by one instance at a time")
    func away() async throws {
        for queue in Self.queues {
            let store = MemoryObjectStore()
            let capture = try await DepthSample(in: store).announcement
            try await queue.add(capture, isRequested: true)
            store.refuse { $0.verb == .get ? .unavailable : nil }
            await #expect { try await run(queue, store) } throws: { ($0 as? ObjectStorageError)?.isTransient == true }
            store.refuse { _ in nil }
            try await run(queue, store)
            #expect(try await queue.measured(capture.captureID) == nil, "the first instance may still be at it")
            try await queue.expireLeases()
            try await run(queue, store)
            #expect(try await queue.measured(capture.captureID) != nil)
        }
    }

    @Test(
        "is taken again if it was taken in the future, since the clock was set back",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func clockBack() async throws {
        let (queue, store) = (PostgresTestQueue(), MemoryObjectStore())
        let capture = try await DepthSample(in: store).announcement
        try await queue.add(capture, isRequested: true)
        store.refuse { $0.verb == .get ? .unavailable : nil }
        await #expect { try await run(queue, store) } throws: { ($0 as? ObjectStorageError)?.isTransient == true }
        store.refuse { _ in nil }
        try await queue.setClockBack()
        try await run(queue, store)
        #expect(try await queue.measured(capture.captureID) != nil)
    }
}
