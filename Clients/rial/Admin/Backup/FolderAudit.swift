import Foundation
import Models
import ObjectStorage

/// Compares one folder of the bucket with what the database says of it, object by object as they are listed.
struct FolderAudit {
    /// How many objects of a finding are kept.
    static let shown = 1000
    /// How long the gateway takes a body (SPEC §2). What has metadata and began earlier is not uploading any more.
    static let longestUpload: TimeInterval = 600
    let folder: BackupFolder
    private let known: KnownFolder?
    /// Not seen yet, by key.
    private var expected: [String: NamedObject]
    private var resized: [BackupFinding.Object] = []
    private var others: [BackupFinding.Object] = []
    private var otherCount = 0
    private var oldestOther = Date.distantFuture
    private var hasMetadata = false

    /// - Parameter known: `nil` if the database knows nothing of the folder.
    init(_ folder: BackupFolder, _ known: KnownFolder?) {
        self.folder = folder
        self.known = known
        expected = Dictionary((known?.named ?? []).map { ($0.key, $0) }) { first, _ in first }
    }

    mutating func see(_ object: StoredObject) {
        if let named = expected.removeValue(forKey: object.key) {
            guard object.sizeBytes != named.sizeBytes else { return }
            resized.append(
                BackupFinding.Object(
                    name: named.name, key: named.key, sizeBytes: named.sizeBytes, storedBytes: object.sizeBytes,
                    lastModified: object.lastModified))
        } else {
            otherCount += 1
            oldestOther = min(oldestOther, object.lastModified ?? .distantPast)
            if object.key == folder.prefix + MediaName.metadata.rawValue { hasMetadata = true }
            guard others.count < Self.shown else { return }
            others.append(.init(key: object.key, sizeBytes: object.sizeBytes, lastModified: object.lastModified))
        }
    }

    /// Says of an object that it is elsewhere than its row says.
    mutating func seeElsewhere(_ object: StoredObject) {
        guard let named = expected.values.first(where: { $0.elsewhere == object.key && $0.sizeBytes == object.sizeBytes }) else { return }
        expected[named.key] = nil
    }

    /// - Parameters:
    ///   - edge: tells what the database cannot know.
    ///   - time: the current time.
    func findings(_ edge: DatabaseEdge, at time: Date) -> [BackupFinding] {
        guard let known else { return otherCount == 0 ? [] : [lost(edge)] }
        var findings: [BackupFinding] = []
        let missing = resized + expected.values.map { .init(name: $0.name, key: $0.key, sizeBytes: $0.sizeBytes) }
        if !missing.isEmpty {
            let isGone = folder.kind == .captures && expected.count == known.named.count
            findings.append(
                BackupFinding(
                    kind: isGone ? .gone : .missing, id: folder.idText, receivedAt: known.receivedAt, count: missing.count,
                    among: known.named.count, objects: Array(missing.sorted { $0.key < $1.key }.prefix(Self.shown))))
        }
        guard otherCount > 0 else { return findings }
        switch known.others {
        case .allowed: break
        // The upload was under way when the database was backed up, and was accepted after that.
        case .uploading(let start):
            if hasMetadata, time.timeIntervalSince(start) > Self.longestUpload { findings.append(lost(edge)) }
        case .left: findings.append(BackupFinding(kind: .unnamed, id: folder.idText, count: otherCount, objects: others))
        case .withdrawn: findings.append(BackupFinding(kind: .withdrawnAgain, id: folder.idText, count: otherCount, objects: others))
        }
        return findings
    }

    /// Every accepted capture has metadata, which the gateway stores once it has found everything else good, just before it records it.
    private func lost(_ edge: DatabaseEdge) -> BackupFinding {
        BackupFinding(
            kind: folder.kind == .captures && hasMetadata ? .lostCapture : .lostUpload, id: folder.idText, count: otherCount,
            isNewer: edge.isBefore(oldestOther), objects: others)
    }
}
