import ArgumentParser
import CaptureKit
import Foundation
import Testing

@testable import RialCLI

@Suite("Export of a capture")
struct QueueExportTests {
    @Test("replaces no part of another capture, and finishes what was ended")
    func parts() async throws {
        let phone = FileManager.default.temporaryDirectory.appendingPathComponent("rial-export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: phone, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: phone) }
        let ids = try await Self.captures(of: [7, 8], in: phone)
        let (out, other) = (phone.appendingPathComponent("out"), phone.appendingPathComponent("other"))
        try await Self.export(ids[0], from: phone, to: out)
        let exported = try out.contents()
        #expect(Set(exported.keys) == ["photo.jpg", "depth.f32.gz", "metadata.json"])
        #expect(exported["photo.jpg"] == Data([7]))

        await #expect(throws: CommandFailure.self) { try await Self.export(ids[1], from: phone, to: out) }
        #expect(try out.contents() == exported)
        try FileManager.default.removeItem(at: out.appendingPathComponent("metadata.json"))
        try await Self.export(ids[0], from: phone, to: out)
        #expect(try out.contents() == exported)

        // What a photo has not is of another capture.
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        try Data([1]).write(to: other.appendingPathComponent("hash-chain.json"))
        await #expect(throws: CommandFailure.self) { try await Self.export(ids[0], from: phone, to: other) }
        #expect(try other.contents() == ["hash-chain.json": Data([1])])
    }

    /// - Returns: the ids of captures with photos of one byte, in the store of a simulated phone.
    private static func captures(of photos: [UInt8], in phone: URL) async throws -> [LocalID] {
        let store = try await CaptureStore.open(
            in: phone.path + "/store", secrets: FolderSecureStore(folder: phone.path + "/keychain"))
        var ids: [LocalID] = []
        for photo in photos {
            let content = FileCapture(
                photo: [photo], depth: [1, 2, 3], depthWidth: 2, depthHeight: 2, capturedAt: Date(), model: "iPhone 15 Pro", location: nil)
            ids.append(try await store.add(content) { _ in .none }.id)
        }
        try store.close()
        return ids
    }

    private static func export(_ id: LocalID, from phone: URL, to folder: URL) async throws {
        try await QueueExport.parse(["\(id)", "--store", phone.path, "--out", folder.path]).run()
    }
}
