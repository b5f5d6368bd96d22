import CaptureKit
import Foundation
import Testing

@testable import RialClient

@Suite("File segment")
struct FileSegmentTests {
    @Test("is sent as the same bytes in memory are, in pieces", arguments: [0, 1, 262_144, 600_001])
    func sendsFiles(size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withTemporaryFile(bytes) { url in
            let inMemory = MultipartBody(boundary: "b", parts: [.init(name: "f", contentType: "x/y", content: .bytes(bytes))])
            let onDisk = MultipartBody(boundary: "b", parts: [.init(name: "f", contentType: "x/y", content: try .file(at: url))])
            #expect(onDisk.contentLength == inMemory.contentLength)
            #expect(try await onDisk.digest() == inMemory.digest())
            let reader = try FileSegment(at: url).makeReader()
            var sent: [UInt8] = []
            while let piece = try await reader.next() {
                #expect((1...262_144).contains(piece.count))
                sent += piece
            }
            #expect(sent == bytes)
        }
    }

    @Test("notices a file that changes its size while it is sent", arguments: [9, 11])
    func noticesChanges(announced: Int64) async throws {
        try await withTemporaryFile(Array(repeating: 7, count: 10)) { url in
            let content = PartContent.source(FileSegment(url: url, sizeBytes: announced))
            let failure = await #expect(throws: APIFailure.self) { try await content.digest() }
            #expect(failure?.code == .unreadableFile)
        }
    }

    @Test("refuses anything but a regular file", arguments: ["/dev/zero", "/tmp", "/nowhere/at/all"])
    func refusesOtherFiles(path: String) {
        let failure = #expect(throws: APIFailure.self) { try FileSegment(at: URL(fileURLWithPath: path)) }
        #expect(failure?.code == .unreadableFile)
    }
}
