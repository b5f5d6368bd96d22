import CaptureProtocol
import Foundation
import Metrics
import Models
import ObjectStorage

/// All objects of one upload or one capture, by their common key prefix.
struct StoredPrefix: Sendable {
    let storage: any ObjectStore
    let text: String

    static func intake(of capture: CaptureID, in storage: any ObjectStore) -> StoredPrefix {
        upload(capture.uuid, in: storage)
    }

    static func upload(_ id: UUID, in storage: any ObjectStore) -> StoredPrefix {
        StoredPrefix(storage: storage, text: ObjectPrefix.incoming(id))
    }

    static func media(of capture: CaptureID, in storage: any ObjectStore) -> StoredPrefix {
        StoredPrefix(storage: storage, text: ObjectPrefix.capture(capture))
    }

    func objects() async throws -> [StoredObject] {
        try await storage.pages(under: text).reduce(into: []) { $0 += $1 }
    }

    /// Deletes the objects and aborts unfinished multipart uploads.
    /// - Returns: how many there were of both.
    @discardableResult
    func empty() async throws -> Int {
        let uploads = try await storage.unfinishedUploads(under: text)
        for upload in uploads { try await storage.end(upload) }
        let keys = try await objects().map(\.key)
        try await delete(keys)
        return uploads.count + keys.count
    }

    func delete(_ keys: [String]) async throws {
        guard !keys.isEmpty else { return }
        try await storage.delete(keys)
        Counter(label: "rial_objects_swept_total").increment(by: keys.count)
    }
}
