import CaptureProtocol
import Foundation
import Models
import ObjectStorage

/// Compares all rows with all objects: both are read in the order of their keys, a page at a time, and merged.
///
/// Services may run meanwhile. What seems to differ is therefore looked at once more, row first: objects are stored before a row names
/// them, and deleted after none does.
struct BackupComparison {
    /// The store did not list as S3 does: by ascending key.
    struct NotInOrder: Error {
        let key: String
    }

    static let pageSize = 500
    let rows: any BackupRows
    /// The objects with a key prefix, as ``ObjectStore/pages(under:)``.
    let pages: (_ prefix: String) -> ObjectPages
    /// Called for each finding, in the order of the keys.
    let tell: (BackupFinding) -> Void
    var now: () -> Date = Date.init

    func run() async throws -> BackupSummary {
        let edge = try await rows.edge()
        var summary = BackupSummary(edge: edge)
        var known = KnownFolders(rows: rows, pageSize: Self.pageSize)
        var open: FolderAudit?
        var shards: [String: Bool] = [:]
        for try await page in pages("") {
            for object in page {
                guard let folder = BackupFolder(key: object.key) else {
                    try await look(atOther: object, &shards, &summary)
                    continue
                }
                summary.see(object, in: folder)
                if folder != open?.folder {
                    if let last = open?.folder, folder < last { throw NotInOrder(key: object.key) }
                    if let open { try await close(open, &summary) }
                    while let earlier = try await known.next(before: folder) {
                        try await close(FolderAudit(earlier.folder, earlier), &summary, earlier)
                    }
                    let row = try await known.next(at: folder)
                    if let row { summary.count(row) }
                    open = FolderAudit(folder, row)
                }
                open?.see(object)
            }
        }
        if let open { try await close(open, &summary) }
        while let later = try await known.next() { try await close(FolderAudit(later.folder, later), &summary, later) }
        if summary.isMissingObjects, let newest = summary.newestObject {
            // The store tells only the second.
            summary.capturesAfterNewestObject = try await rows.captures(receivedAfter: newest.addingTimeInterval(1))
        }
        return summary
    }

    /// - Parameter uncounted: a folder that the bucket does not have, which is counted here.
    private func close(_ audit: FolderAudit, _ summary: inout BackupSummary, _ uncounted: KnownFolder? = nil) async throws {
        if let uncounted { summary.count(uncounted) }
        guard !audit.findings(summary.edge, at: now()).isEmpty else { return }
        for finding in try await again(audit.folder).findings(summary.edge, at: now()) { report(finding, &summary) }
    }

    private func report(_ finding: BackupFinding, _ summary: inout BackupSummary) {
        summary.count(finding)
        tell(finding)
    }

    private func again(_ folder: BackupFolder) async throws -> FolderAudit {
        let known = try await rows.folder(folder)
        var audit = FolderAudit(folder, known)
        for try await page in pages(folder.prefix) { for object in page { audit.see(object) } }
        if known?.named.contains(where: { $0.elsewhere != nil }) == true {
            for try await page in pages(BackupFolder(.incoming, folder.id).prefix) { for object in page { audit.seeElsewhere(object) } }
        }
        return audit
    }

    /// The services' probes, and the public log, which `transparency-log` compares itself.
    private func look(atOther object: StoredObject, _ shards: inout [String: Bool], _ summary: inout BackupSummary) async throws {
        summary.objects += 1
        if object.key.hasPrefix(ObjectPrefix.probes) { return }
        let parts = object.key.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3, parts[0] == "log" {
            let shard = String(parts[1])
            let isKnown: Bool
            if let known = shards[shard] {
                isKnown = known
            } else {
                isKnown = try await rows.hasShard(shard)
                // Shards are few; a bucket may have any number of other names.
                if shards.count < 1000 { shards[shard] = isKnown }
            }
            if isKnown { return }
        }
        report(
            BackupFinding(
                kind: .stray, id: nil, count: 1, isNewer: summary.edge.isBefore(object.lastModified ?? .distantPast),
                objects: [.init(key: object.key, sizeBytes: object.sizeBytes, lastModified: object.lastModified)]), &summary)
    }
}

/// The folders that the database knows, in the order of their prefixes, read a page at a time.
private struct KnownFolders {
    let rows: any BackupRows
    let pageSize: Int
    private var kinds = BackupFolder.Kind.allCases[...]
    private var last: UUID?
    private var page: ArraySlice<KnownFolder> = []

    init(rows: any BackupRows, pageSize: Int) {
        self.rows = rows
        self.pageSize = pageSize
    }

    private mutating func first() async throws -> KnownFolder? {
        while page.isEmpty, let kind = kinds.first {
            page = try await rows.page(of: kind, after: last, limit: pageSize)[...]
            last = page.last?.folder.id
            if page.isEmpty { kinds.removeFirst() }
        }
        return page.first
    }

    mutating func next() async throws -> KnownFolder? { try await first() == nil ? nil : page.removeFirst() }

    mutating func next(before folder: BackupFolder) async throws -> KnownFolder? {
        guard let first = try await first(), first.folder < folder else { return nil }
        return page.removeFirst()
    }

    mutating func next(at folder: BackupFolder) async throws -> KnownFolder? {
        guard let first = try await first(), first.folder == folder else { return nil }
        return page.removeFirst()
    }
}
