import Foundation
import TestSupport
import Testing

@testable import RialCLI

@Suite("A copy of a recording that is spoilt")
struct VideoCopyTests {
    @Test("is written to a folder of its own, never into another")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let recording = try RecordedVideo(seconds: 1, startedAt: Date(timeIntervalSince1970: 1_700_000_000))
        let parts = [
            "video.mp4": recording.video, "depth.gz": recording.depth, "hash-chain.json": recording.chainBytes,
            "metadata.json": recording.metadata,
        ]
        for (name, bytes) in parts { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        let copy = try VideoCopy(VideoFolder(path: folder.path))

        let out = folder.appendingPathComponent("out")
        try copy.write(to: out)
        #expect(try Set(out.contents().keys) == Set(parts.keys))

        let recorded = parts.mapValues { Data($0) }
        try FileManager.default.removeItem(at: out)
        let failure = #expect(throws: CommandFailure.self) { try copy.write(to: folder) }
        #expect(failure?.description.contains(folder.path) == true)
        #expect(try folder.contents() == recorded)
    }
}
