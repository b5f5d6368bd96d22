import CaptureProtocol
import Foundation
import ObjectStorage

/// What was compared, how far database and bucket reach, and how much was found.
struct BackupSummary {
    let edge: DatabaseEdge
    var captures = 0
    var namedObjects = 0
    var objects = 0
    /// The last change of an object of a capture.
    var newestObject: Date?
    /// Captures that were received after that; counted only if objects are missing.
    var capturesAfterNewestObject = 0
    private var found: [BackupFinding.Kind: Int] = [:]

    init(edge: DatabaseEdge) { self.edge = edge }

    mutating func see(_ object: StoredObject, in folder: BackupFolder) {
        objects += 1
        guard folder.kind == .captures, let time = object.lastModified else { return }
        newestObject = max(newestObject ?? time, time)
    }

    mutating func count(_ known: KnownFolder) {
        if known.folder.kind == .captures { captures += 1 }
        namedObjects += known.named.count
    }

    mutating func count(_ finding: BackupFinding) { found[finding.kind, default: 0] += 1 }

    var isMissingObjects: Bool { found[.missing] != nil || found[.gone] != nil }
    var hasProblem: Bool { found.keys.contains(where: \.isProblem) }

    var text: String {
        var lines = [
            "database: \(captures) captures, the newest of \(Self.time(edge.newestCapture?.receivedAt)), "
                + "the last change \(Self.time(edge.newestRow))",
            "bucket: \(objects) objects, the newest of a capture of \(Self.time(newestObject))",
        ]
        for (kind, words) in Self.words {
            guard let count = found[kind] else { continue }
            lines.append("\(count) \(count == 1 ? words.one : words.many)")
        }
        if capturesAfterNewestObject > 0 {
            let captures = capturesAfterNewestObject == 1 ? "1 capture was" : "\(capturesAfterNewestObject) captures were"
            lines.append("\(captures) received after the newest object: the bucket is older than the database")
        }
        if !isMissingObjects { lines.append("all \(namedObjects) objects that rows name are there") }
        return lines.joined(separator: "\n")
    }

    private static let words: [(BackupFinding.Kind, (one: String, many: String))] = [
        (.missing, ("capture or upload lacks objects", "captures or uploads lack objects")),
        (.gone, ("capture has nothing in the bucket", "captures have nothing in the bucket")),
        (.lostCapture, ("capture is not in the database", "captures are not in the database")),
        (.withdrawnAgain, ("withdrawn capture is here again", "withdrawn captures are here again")),
        (.lostUpload, ("unfinished upload is not in the database", "unfinished uploads are not in the database")),
        (.unnamed, ("capture has objects that no row names", "captures have objects that no row names")),
        (.stray, ("object belongs to nothing", "objects belong to nothing")),
    ]

    private static func time(_ time: Date?) -> String { time.map { Timestamp.format($0) } ?? "never" }
}

extension BackupSummary: Encodable {
    private enum CodingKeys: String, CodingKey {
        case captures, objects, found
        case kind
        case namedObjects = "named_objects"
        case newestCapture = "newest_capture"
        case newestCaptureAt = "newest_capture_at"
        case newestRow = "newest_row_at"
        case newestObject = "newest_object_at"
        case capturesAfterNewestObject = "captures_after_newest_object"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("summary", forKey: .kind)
        try container.encode(captures, forKey: .captures)
        try container.encode(namedObjects, forKey: .namedObjects)
        try container.encode(objects, forKey: .objects)
        try container.encodeIfPresent(edge.newestCapture?.id, forKey: .newestCapture)
        try container.encodeIfPresent(edge.newestCapture?.receivedAt, forKey: .newestCaptureAt)
        try container.encodeIfPresent(edge.newestRow, forKey: .newestRow)
        try container.encodeIfPresent(newestObject, forKey: .newestObject)
        try container.encode(capturesAfterNewestObject, forKey: .capturesAfterNewestObject)
        let found = Dictionary(uniqueKeysWithValues: Self.words.map { ($0.0.rawValue, self.found[$0.0] ?? 0) })
        try container.encode(found, forKey: .found)
    }
}
