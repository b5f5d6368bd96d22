import CaptureProtocol
import Foundation

/// A difference between database and bucket, about one folder or, outside of folders, one object.
struct BackupFinding: Sendable, Equatable, Encodable {
    enum Kind: String, Sendable, Encodable {
        /// Objects that rows name are missing or have another size.
        case missing
        /// None of the objects of a capture that rows name is there.
        case gone
        /// A capture of which the database knows nothing.
        case lostCapture = "lost_capture"
        /// Bytes of an upload of which the database knows nothing. It was not complete.
        case lostUpload = "lost_upload"
        /// Objects of a capture that is withdrawn and was erased.
        case withdrawnAgain = "withdrawn_again"
        /// Objects that no row names, in the folder of a capture that has all of its own.
        case unnamed
        /// An object that belongs to nothing.
        case stray

        /// Whether database or bucket lack something, or have what must be gone.
        var isProblem: Bool {
            switch self {
            case .missing, .gone, .lostCapture, .withdrawnAgain: true
            case .lostUpload, .unnamed, .stray: false
            }
        }
    }

    struct Object: Sendable, Equatable, Encodable {
        /// As the row calls it; `nil` if no row names the object.
        var name: String?
        let key: String
        /// The size that the row says; that of the object if no row names it.
        let sizeBytes: Int64
        /// The size of the object, if it is not the one that the row says.
        var storedBytes: Int64?
        var lastModified: Date?

        enum CodingKeys: String, CodingKey {
            case name, key
            case sizeBytes = "size_bytes"
            case storedBytes = "stored_bytes"
            case lastModified = "last_modified"
        }
    }

    let kind: Kind
    /// The capture's or the upload's id.
    let id: String?
    var receivedAt: Date?
    /// How many objects it is about, of how many.
    var count: Int
    var among: Int?
    /// Whether all that was found in the bucket is newer than the newest row; `nil` where that is not asked.
    var isNewer: Bool?
    /// At most ``FolderAudit/shown`` of them.
    var objects: [Object]

    enum CodingKeys: String, CodingKey {
        case kind, id, count, among, objects
        case receivedAt = "received_at"
        case isNewer = "newer_than_database"
    }
}

extension BackupFinding {
    /// A sentence, and a line for each object.
    var text: String {
        var lines = [sentence]
        for object in objects {
            var words = ["  \(object.key)"]
            if let name = object.name { words.append(name) }
            switch (kind, object.storedBytes) {
            case (.missing, let stored?): words.append("\(stored) bytes, not \(object.sizeBytes)")
            case (.missing, nil): words.append("missing, \(object.sizeBytes) bytes")
            default: words.append("\(object.sizeBytes) bytes")
            }
            if let time = object.lastModified { words.append(Timestamp.format(time)) }
            lines.append(words.joined(separator: "  "))
        }
        if count > objects.count { lines.append("  and \(count - objects.count) more") }
        return lines.map(TextTable.printable).joined(separator: "\n")
    }

    private var sentence: String {
        let received = receivedAt.map { ", received \(Timestamp.format($0))" } ?? ""
        let age =
            switch isNewer {
            case true?: ", newer than the database"
            case false?: ", not newer than the database"
            case nil: ""
            }
        let what = id ?? ""
        return switch kind {
        case .missing: "\(what): \(count) of \(among ?? count) objects are missing or have another size\(received)"
        case .gone: "\(what): none of its \(count) objects is there; lost, or withdrawn since the backup\(received)"
        case .lostCapture: "\(what): a capture that the database does not know, with \(count) objects\(age)"
        case .lostUpload: "\(what): an unfinished upload that the database does not know, with \(count) objects\(age)"
        case .withdrawnAgain: "\(what): withdrawn, but here again, with \(count) objects"
        case .unnamed: "\(what): \(count) objects that no row names"
        case .stray: "an object that belongs to nothing\(age)"
        }
    }
}
