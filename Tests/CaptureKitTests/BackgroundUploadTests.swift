import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("Uploads that the system makes")
struct BackgroundUploadTests {
    private let rig: QueueRig

    init() throws { rig = try QueueRig() }

    @Test("keep a capture from being deleted until its task has ended")
    func notDeleted() async throws {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        let files = try rig.store.content()
        await #expect(throws: StoreError.isBeingSent) { try await queue.delete(id) }
        #expect(try rig.store.content() == files)
        // Whether its person deletes it in this process or another.
        let other = try await rig.store.open()
        await #expect(throws: StoreError.isBeingSent) { try await other.delete(id) }
        try await queue.endBackgroundUpload(upload, nil)
        try await other.delete(id)
        #expect(try rig.store.content().isEmpty)
    }

    @Test("keep a capture no longer when a sender starts, although nobody was told of their end")
    func neverEnded() async throws {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        // Refused by the server meanwhile, so that the sender leaves it alone.
        try await queue.store.database.update(id) { row in row.state = .failed }
        await #expect(throws: StoreError.isBeingSent) { try await queue.delete(id) }
        try await rig.queue().run(untilEmpty: true)
        try await queue.delete(id)
        #expect(await rig.uploads.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: upload.bodyPath))
    }

    @Test("are not made of a capture that was deleted a moment before")
    func deletedBefore() async throws {
        let store = try await rig.store.open()
        let capture = try await store.addSample()
        let body = try store.upload(of: capture).body
        try await store.delete(capture.id)
        await #expect(throws: StoreError.unknownCapture(capture.id)) { try await store.lend(body, as: "a.body", of: capture.id) }
        try await store.expectNoLoans("of what is not there")
    }
}
