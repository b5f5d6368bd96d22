import CaptureProtocol
import Foundation
import Logging
import ObjectStorage
import TestSupport
import Testing

@testable import Gateway

@Suite("Cleaning up after uploads")
struct UploadCleanerTests {
    private let uploads: MemoryUploads
    private let store: MemoryObjectStore
    private let cleaner: UploadCleaner

    init() throws {
        let parts = try UploadFixture()
        (uploads, store) = (parts.uploads, parts.store)
        cleaner = UploadCleaner(uploads: parts.uploads, resumable: parts.resumable, logger: .quiet)
    }

    /// An upload of a device of its own, with a stored segment.
    private func upload(segmentBytes: Int = 10) async throws -> UploadID {
        let token = UploadToken.random()
        _ = try await UploadRepositoryTests.create(uploads, DeviceID(), token: token)
        let upload = try #require(try await uploads.begin(token, runner: UUID()))
        let key = UploadSegment.key(upload.id, start: 0, epoch: upload.epoch)
        try await store.put(key, bytes: [UInt8](repeating: 1, count: segmentBytes), contentType: "application/octet-stream")
        #expect(try await uploads.grow(upload, from: 0, by: Int64(segmentBytes), key: key))
        return upload.id
    }

    private func key(of upload: UploadID) -> String { UploadSegment.key(upload, start: 0, epoch: 1) }

    @Test("one whose time is over ends, and its segments go; another one stays as it is")
    func expired() async throws {
        let (over, open) = (try await upload(), try await upload())
        uploads.expire(over)
        try await cleaner.clean()
        let (ended, kept) = (try #require(uploads.now.entries[over]), try #require(uploads.now.entries[open]))
        #expect(ended.state == .ended && ended.segments.isEmpty && ended.isEmptied && ended.isInTime)
        #expect(kept.state == .open && kept.segments.count == 1)
        #expect(store.keys == [key(of: open)])
        #expect(uploads.folders == [over, open], "upload-sync looks once more for what has no row")
    }

    @Test("the segments of one that was cancelled or became a capture go, if its request did not delete them")
    func closed() async throws {
        let (cancelled, done) = (try await upload(), try await upload())
        #expect(try await uploads.end(cancelled))
        let capture = AcceptedCapture(
            captureID: CaptureID(), type: nil, status: .processing, verificationURL: "https://rial.test/verify/x")
        try await uploads.finish(done, UploadAnswer(isNew: true, capture: capture))
        try await cleaner.clean()
        #expect(store.keys.isEmpty)
        #expect([cancelled, done].allSatisfy { uploads.now.entries[$0]?.isEmptied == true })
        #expect(uploads.now.entries[done]?.answer?.capture == capture, "its client may still ask for the answer")
    }

    @Test("as many as there are end in one run, in batches")
    func many() async throws {
        for _ in 0..<UploadCleaner.batchSize * 2 + 50 { uploads.expire(try await upload()) }
        try await cleaner.clean()
        #expect(store.keys.isEmpty && uploads.now.entries.values.allSatisfy { $0.state == .ended && $0.isEmptied })
    }

    @Test("what cannot be deleted holds up no other, and is tried again at the next run")
    func undeletable() async throws {
        let (stuck, other) = (try await upload(), try await upload())
        for id in [stuck, other] { uploads.expire(id) }
        store.refuse { [key = key(of: stuck)] request in request.verb == .delete && request.key == key ? .unavailable : nil }
        try await cleaner.clean()
        #expect(store.keys == [key(of: stuck)])
        #expect(uploads.now.entries[stuck]?.isEmptied == false && uploads.now.entries[other]?.isEmptied == true)
        store.refuse { _ in nil }
        try await cleaner.clean()
        #expect(store.keys.isEmpty && uploads.now.entries[stuck]?.isEmptied == true)
    }

    @Test("a run ends though nothing can be deleted, however much there is")
    func stuck() async throws {
        for _ in 0..<UploadCleaner.batchSize + 1 { uploads.expire(try await upload()) }
        store.refuse { $0.verb == .delete ? .unavailable : nil }
        try await cleaner.clean()
        #expect(store.keys.count == UploadCleaner.batchSize + 1)
        #expect(uploads.now.entries.values.allSatisfy { !$0.isEmptied })
    }

    @Test("one is forgotten when it was kept long enough, but not before its segments are gone")
    func forgotten() async throws {
        let (old, stuck) = (try await upload(), try await upload())
        for id in [old, stuck] {
            #expect(try await uploads.end(id))
            uploads.expire(id)
        }
        store.refuse { [key = key(of: stuck)] request in request.verb == .delete && request.key == key ? .unavailable : nil }
        try await cleaner.clean()
        #expect(Set(uploads.now.entries.keys) == [stuck])
    }

    @Test("while another gateway is at it, nothing is cleaned up twice")
    func elsewhere() async throws {
        let over = try await upload()
        uploads.expire(over)
        uploads.cleanElsewhere(true)
        try await cleaner.clean()
        #expect(store.keys == [key(of: over)] && uploads.now.entries[over]?.state == .open)
        uploads.cleanElsewhere(false)
        try await cleaner.clean()
        #expect(store.keys.isEmpty)
    }
}
