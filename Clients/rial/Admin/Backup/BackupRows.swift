import CaptureProtocol
import Foundation

/// An object that a row names.
struct NamedObject: Sendable, Equatable {
    /// As the row calls it, such as `thumbnail.jpg`.
    let name: String
    let key: String
    /// Where it may be instead: an earlier version puts an upload elsewhere first.
    var elsewhere: String?
    let sizeBytes: Int64
}

/// A folder of the bucket, as the database knows it.
struct KnownFolder: Sendable, Equatable {
    /// How to treat objects that no row names.
    enum Others: Sendable, Equatable {
        /// A service still works there, or deletes them in time.
        case allowed
        /// They arrive as one upload since this time. If no capture comes of them, upload-sync deletes them after a day.
        case uploading(since: Date)
        /// Nobody deletes them.
        case left
        /// They belong to a capture that is withdrawn and was erased.
        case withdrawn
    }

    let folder: BackupFolder
    /// The objects that have to be there.
    var named: [NamedObject] = []
    var others = Others.allowed
    /// When the capture was received; `nil` if it is withdrawn, or no capture.
    var receivedAt: Date?
}

/// The newest data in the database.
struct DatabaseEdge: Sendable {
    /// The capture that was received last, and when.
    var newestCapture: (id: CaptureID, receivedAt: Date)?
    /// The last time at which anything was received, completed or withdrawn.
    var newestRow: Date?

    /// Whether something in the bucket is newer than the database: its store tells only the second.
    func isBefore(_ lastModified: Date) -> Bool {
        guard let newestRow else { return true }
        return lastModified.timeIntervalSince1970 >= newestRow.timeIntervalSince1970.rounded(.down)
    }
}

/// The rows that name objects.
protocol BackupRows: Sendable {
    func edge() async throws -> DatabaseEdge

    /// The folders of a kind of which rows name objects, and those of withdrawn captures, by ascending id.
    /// - Parameter after: the last id of the page before; `nil` for the first.
    func page(of kind: BackupFolder.Kind, after: UUID?, limit: Int) async throws -> [KnownFolder]

    /// Any folder that belongs to something that the database knows; `nil` for others.
    func folder(_ folder: BackupFolder) async throws -> KnownFolder?

    func hasShard(_ name: String) async throws -> Bool

    /// How many captures with objects were received after this time.
    func captures(receivedAfter time: Date) async throws -> Int
}
