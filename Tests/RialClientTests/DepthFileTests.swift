import CaptureKit
import Foundation
import RialClient
import TestSupport
import Testing

@testable import RialCLI

@Suite("Depth file")
struct DepthFileTests {
    @Test("compresses raw values so that they come back")
    func compressesRawValues() async throws {
        let raw = (0..<(8 * 6 * 4)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await withTemporaryFile(raw, extension: "f32") { url in
            guard case .bytes(let compressed) = try DepthFile(url: url, width: 8, height: 6).content() else {
                Issue.record("not compressed")
                return
            }
            #expect(compressed.prefix(2) == [0x1F, 0x8B])
            #expect(inflated(compressed, limit: raw.count + 1) == raw)
        }
    }

    @Test("sends a compressed file as it is")
    func sendsCompressedFiles() async throws {
        try await withTemporaryFile([0x1F, 0x8B, 1, 2, 3], extension: "gz") { url in
            let content = try DepthFile(url: url, width: 8, height: 6).content()
            #expect(content.sizeBytes == 5)
        }
    }

    @Test("refuses impossible dimensions", arguments: [(0, 1), (1, 0), (-1, 5), (1025, 1), (1, Int.max), (Int.min, Int.min)])
    func refusesSides(width: Int, height: Int) {
        #expect(throws: CommandFailure.self) {
            try DepthFile(url: URL(fileURLWithPath: "/dev/null"), width: width, height: height)
        }
    }

    @Test("refuses raw files of another length", arguments: [0, 1, 191, 193, 4096])
    func refusesLengths(count: Int) async throws {
        try await withTemporaryFile(Array(repeating: 0, count: count), extension: "f32") { url in
            #expect(throws: CommandFailure.self) { try DepthFile(url: url, width: 8, height: 6).content() }
        }
    }

    @Test("refuses a huge file without reading it", arguments: ["f32", "gz"])
    func refusesHugeFiles(pathExtension: String) async throws {
        try await withTemporaryFile([], extension: pathExtension) { url in
            // A sparse file, which takes no space on disk.
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 1 << 40)
            try handle.close()
            #expect(throws: CommandFailure.self) { try DepthFile(url: url, width: 1024, height: 1024).content() }
        }
    }

    @Test("refuses a file that never ends", arguments: ["/dev/zero", "/dev/urandom"])
    func refusesDevices(path: String) {
        #expect(throws: APIFailure.self) {
            try DepthFile(url: URL(fileURLWithPath: path), width: 256, height: 192).content()
        }
    }
}
