import CaptureProtocol
import Compression
import Delivery
import Depth
import Foundation
import Imaging
import Logging
import Models
import ObjectStorage
import TestSupport
import Testing

@testable import DepthAnalyzer

@Suite("Analysis of a received capture")
struct AnalyzeDepthTests {
    private let store = MemoryObjectStore()
    private let parts = MemoryPartRepository<DepthAnalyzed, DepthFindings>()

    /// An accepted capture with these bytes under the keys of an upload.
    private func accept(photo: [UInt8]? = nil, depth: [UInt8]? = nil) async throws -> CaptureAnnouncement {
        let announcement = try await DepthSample(in: store, photo: photo, depth: depth).announcement
        parts.add(announcement)
        return announcement
    }

    private func handle(_ capture: CaptureAnnouncement) async throws {
        let context = MessageContext(eventID: EventID(), topic: .captureReceived, logger: Logger(label: "tests"))
        try await PartHandler(AnalyzeDepth(analysis: CaptureAnalysis(storage: store, videos: .unused(store))), parts: parts)
            .handle(CaptureReceived(captureID: capture.captureID, kind: .photo), context)
    }

    private func rejection(of capture: CaptureAnnouncement) async -> FailureReason? {
        await TestSupport.rejection { try await handle(capture) }
    }

    @Test("measures the depth and stores every picture that pages need, each part of the upload read once")
    func analyzes() async throws {
        let capture = try await accept()
        try await handle(capture)
        let findings = try #require(parts.findings(capture.captureID))
        #expect(findings.measurements != nil && findings.unavailableReason == nil)
        let pictures = try #require(findings.pictures)
        #expect(Set(pictures.keys).isSuperset(of: [.thumbnail, .smallPicture]))
        let preview = try #require(findings.preview)
        for object in Array(pictures.values) + [preview] {
            let bytes = try await store.read(object)
            #expect(Int64(bytes.count) == object.sizeBytes && object.pixels != nil && object.key.contains(object.sha256.hex))
        }
        #expect(parts.announced == [.done(capture.captureID)])
        guard case .photo(let content) = capture.content else { return }
        for key in [content.photo.key, content.depth.key] {
            #expect(store.requests.filter { $0.key == key }.map(\.verb) == [.put, .get])
        }
        #expect(!store.requests.contains { $0.verb == .copy })
    }

    @Test("draws the preview upright also when only the edges tell how the photo was turned")
    func previewRotation() async throws {
        var rotations: Set<Int> = []
        for isClockwise in [true, false] {
            let scene = TurnedScene(isClockwise: isClockwise)
            let capture = try await accept(photo: try scene.photo(), depth: try Deflate.compress(scene.depth))
            try await handle(capture)
            let findings = try #require(parts.findings(capture.captureID))
            let rotation = try #require(findings.measurements).rotation
            rotations.insert(rotation)
            let map = try DepthMapDecoder.decode(try Deflate.compress(scene.depth), width: 64, height: 48)
            let expected = try DepthPreview.file(depth: map, rotation: rotation, aspect: (480, 640)) { picture in
                try PNGEncoder.encode(width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
            }
            #expect(try await store.read(try #require(findings.preview)) == expected.bytes)
        }
        #expect(rotations == [1, 3])
    }

    @Test("takes the numbers that a device measured, with a verdict of its own, and reads and stores nothing")
    func hashOnly() async throws {
        let capture = try HashOnlySamples.announcement()
        let without = try HashOnlySamples.announcement(HashOnlySamples.payload(depth: nil))
        for announcement in [capture, without] {
            parts.add(announcement)
            try await handle(announcement)
        }
        let findings = try #require(parts.findings(capture.captureID))
        #expect(findings.measurements == DepthMeasurements(HashOnlySamples.depth) && findings.measurements?.verdict == .real)
        #expect(findings.preview == nil && findings.exif == nil && findings.pictures == [:])
        let nothing = try #require(parts.findings(without.captureID))
        #expect(nothing.measurements == nil && nothing.unavailableReason == StableWord(.noDepth))
        #expect(store.requests.isEmpty)
    }

    @Test("gives the same bytes the same findings, and overwrites nothing of another worker's")
    func same() async throws {
        let capture = try await accept()
        try await handle(capture)
        let first = try #require(parts.findings(capture.captureID))
        let keys = store.keys
        parts.forget(capture.captureID)
        try await handle(capture)
        #expect(parts.findings(capture.captureID) == first && store.keys == keys)
    }

    @Test("looks anew at what failed and at what has no pictures, but not at what is complete")
    func anew() async throws {
        let capture = try await accept()
        let work = AnalyzeDepth(analysis: CaptureAnalysis(storage: store, videos: .unused(store)))
        try await handle(capture)
        var stored = try #require(parts.findings(capture.captureID))
        #expect(work.isOutdated(stored, isFailed: true) && !work.isOutdated(stored, isFailed: false))
        stored.pictures = nil
        #expect(work.isOutdated(stored, isFailed: false))
        let reads = store.requests.count { $0.verb == .get }
        parts.set(.complete, of: capture.captureID)
        try await handle(capture)
        #expect(store.requests.count { $0.verb == .get } == reads)
        parts.set(.failed, of: capture.captureID)
        try await handle(capture)
        #expect(store.requests.count { $0.verb == .get } == reads + 2)
    }

    @Test("rejects bytes that were not accepted, and bytes that are gone, and stores nothing of them")
    func swapped() async throws {
        for name in [MediaName.original, .depth] {
            let capture = try await accept()
            try await store.put(name.key(of: capture.captureID), bytes: [1, 2, 3], contentType: "image/jpeg")
            #expect(await rejection(of: capture) == .digestMismatch)
            try await store.delete([name.key(of: capture.captureID)])
            #expect(await rejection(of: capture) == .intakeMissing)
            #expect(parts.findings(capture.captureID) == nil)
        }
        #expect(store.keys.count == 2 && parts.announced.isEmpty)
    }

    @Test("rejects a depth map that cannot be read", arguments: [[0, 1, 2, 3], Array("no depth".utf8)] as [[UInt8]])
    func unreadable(depth: [UInt8]) async throws {
        let capture = try await accept(depth: depth)
        #expect(await rejection(of: capture) == .depthUnreadable)
    }

    @Test("takes no lack of memory for a fault of the capture")
    func memory() throws {
        #expect(CaptureAnalysis.failure(of: DepthError(.outOfMemory, "inflate")) is DepthError)
        #expect(CaptureAnalysis.failure(of: DepthError(.corrupt, "no stream")) is RejectedMessage)
        func readable(_ code: ImagingError.Code) throws -> Int? {
            try CaptureAnalysis.readable { () throws(ImagingError) -> Int in throw ImagingError(code, "of a test") }
        }
        #expect(throws: ImagingError(.outOfMemory, "of a test")) { try readable(.outOfMemory) }
        for code in [ImagingError.Code.corrupt, .unsupported, .tooLarge, .tooManyScans] { #expect(try readable(code) == nil) }
    }

    @Test("measures the depth of a photo that no decoder reads, and makes no picture of it")
    func noPhoto() async throws {
        let capture = try await accept(photo: Array("no photo".utf8))
        try await handle(capture)
        let findings = try #require(parts.findings(capture.captureID))
        #expect(findings.measurements != nil && findings.preview != nil && findings.pictures == [:] && findings.exif == nil)
    }

    @Test("waits for a store that is away, whether it reads or writes", arguments: [MemoryObjectStore.Request.Verb.get, .put])
    func away(verb: MemoryObjectStore.Request.Verb) async throws {
        let capture = try await accept()
        store.refuse { $0.verb == verb ? .unavailable : nil }
        await #expect { try await handle(capture) } throws: { ($0 as? ObjectStorageError)?.isTransient == true }
        #expect(parts.findings(capture.captureID) == nil)
        store.refuse { _ in nil }
        try await handle(capture)
        #expect(parts.announced == [.done(capture.captureID)])
    }
}
