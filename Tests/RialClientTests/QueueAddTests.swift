import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@testable import RialCLI

@Suite("Adding a photo to the queue")
struct QueueAddTests {
    private static let depthSize = (width: 64, height: 48)

    @Test("refuses a photo that is too large with its depth map to be sent, but not in privacy mode")
    func tooLarge() async throws {
        let phone = FileManager.default.temporaryDirectory.appendingPathComponent("rial-add-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: phone, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: phone) }
        let (photo, depth) = (phone.appendingPathComponent("photo.jpg"), phone.appendingPathComponent("depth.f32"))
        // Which would fit alone.
        try Data(Self.photo(scanBytes: SizeLimits.capture - SizeLimits.metadata)).write(to: photo)
        try Data(Self.depthMap).write(to: depth)
        let arguments = [
            "--photo", photo.path, "--depth", depth.path, "--width", "\(Self.depthSize.width)", "--height", "\(Self.depthSize.height)",
            "--store", phone.path,
        ]
        let failure = await #expect(throws: CommandFailure.self) { try await QueueAdd.parse(arguments).run() }
        #expect(failure?.description.contains("too large: a capture has at most 20 MiB") == true)
        #expect(try await Self.kinds(in: phone) == [])
        try await QueueAdd.parse(arguments + ["--private"]).run()
        #expect(try await Self.kinds(in: phone) == [.hashOnly])
    }

    /// Of the captures in the store of a simulated phone.
    private static func kinds(in phone: URL) async throws -> [CaptureKind] {
        let store = try await CaptureStore.open(
            in: phone.path + "/store", secrets: FolderSecureStore(folder: phone.path + "/keychain"))
        let kinds = try await store.captures().map(\.kind)
        try store.close()
        return kinds
    }

    /// A baseline JPEG of 16 × 8 grey pixels; the scan data are made up.
    private static func photo(scanBytes: Int) -> [UInt8] {
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] { [0xff, marker, 0, UInt8(payload.count + 2)] + payload }
        let tables = segment(0xdb, [0] + [UInt8](repeating: 1, count: 64)) + segment(0xc4, [0, 1] + [UInt8](repeating: 0, count: 16))
        let headers = segment(0xc0, [8, 0, 8, 0, 16, 1, 1, 0x11, 0]) + segment(0xda, [1, 1, 0, 0, 63, 0])
        let scan = [UInt8](repeating: 0x17, count: scanBytes)
        return [0xff, 0xd8] + tables + headers + scan + [0xff, 0xd9]
    }

    /// A slope, little-endian float32.
    private static var depthMap: [UInt8] {
        (0..<depthSize.width * depthSize.height).flatMap { index in
            withUnsafeBytes(of: (1 + Float(index % depthSize.width) / 50).bitPattern.littleEndian, Array.init)
        }
    }
}
