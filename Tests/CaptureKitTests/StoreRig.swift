import CaptureProtocol
import Foundation

@testable import CaptureKit

/// A capture with known bytes.
struct SampleContent: CapturedPhoto {
    var photo = [0xFF, 0xD8, 0xFF, 0xE1] + Array("Exif\0\0 a photo at 45.764043".utf8) + [UInt8].noise(70_000)
    var depth = [UInt8].noise(3000, seed: 2)
    var thumbnail: [UInt8]? = [UInt8].noise(500, seed: 3)
    var capturedAt = Date(timeIntervalSince1970: 1_800_000_000)

    func metadata(photoHash: ContentDigest) -> [UInt8] { Array("{\"photo_hash\":\"\(photoHash)\",\"location\":\"45.764043\"}".utf8) }
}

/// A folder with a store in it, which can be opened again and again.
struct StoreRig {
    let folder: ScratchFolder
    let secrets = MemorySecureStore()
    var limits = StoreLimits()

    init() throws { folder = try ScratchFolder() }

    var path: String { folder.path + "/store" }

    func open(_ failPoints: FailPoints = .none) async throws -> CaptureStore {
        try await CaptureStore.open(in: path, secrets: secrets, limits: limits, failPoints: failPoints)
    }

    /// The names of the sealed files.
    func content() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: path + "/content")) }

    /// Every byte of every file of the store.
    func everything() throws -> [UInt8] {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return files.sorted().flatMap { FileManager.default.contents(atPath: path + "/" + $0).map(Array.init) ?? [] }
    }
}

extension CaptureStore {
    /// Adds a capture that is asserted by the device.
    @discardableResult
    func addSample(by device: DeviceID = DeviceID(), _ content: SampleContent = SampleContent()) async throws -> StoredCapture {
        try await add(content) { _ in .made([1, 2, 3], by: device) }
    }

    /// Moves a capture through the states to uploaded, with a result that is confirmed when its retention ends.
    func markUploaded(_ id: LocalID, at time: Date) async throws {
        try await database.update(id) { row in row.state = .uploading }
        try await database.update(id) { row in
            row.state = .uploaded
            row.serverID = CaptureID()
            row.facts.uploadedAt = time
            row.facts.confidence = "high"
            row.facts.confirmedAt = time.addingTimeInterval(7 * 86_400)
        }
    }
}
