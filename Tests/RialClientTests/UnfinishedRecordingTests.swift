import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@testable import RialCLI

@Suite("A recording whose process was killed while its parts were written in plain")
struct UnfinishedRecordingTests {
    @Test("has whole parts once it is recovered, and nothing else")
    func recovers() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-unfinished-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = FileCapture(
            photo: Array(repeating: 7, count: 3_000_000), depth: [1, 2, 3], depthWidth: 2, depthHeight: 2, capturedAt: Date(),
            model: "iPhone 15 Pro", location: nil)
        let store = try await UnfinishedRecording(folder: folder.path).store()
        _ = try await store.add(content) { _ in .none }
        try store.close()
        for name in ["photo.jpg", "photo.jpg.new"] { try Data(content.photo.prefix(9)).write(to: folder.appendingPathComponent(name)) }
        try await VideoRecover.parse([folder.path]).run()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["photo.jpg", "depth.f32.gz", "metadata.json"])
        let photo = try Data(contentsOf: folder.appendingPathComponent("photo.jpg"))
        #expect(ContentDigest(of: photo) == ContentDigest(of: content.photo))
    }
}
