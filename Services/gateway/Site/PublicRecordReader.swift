import CaptureProtocol
import Foundation
import Models
import Site

/// Reads what the site may show of a capture.
struct PublicRecordReader: Sendable {
    let captures: any CaptureRepository
    let records: any StoredRecordRepository
    let log: LogStatusReader
    let links: MediaLinks

    /// - Returns: `nil` if there is no such capture.
    func find(_ id: CaptureID, at now: Date) async throws -> PublicRecord? {
        // Both at the same time: a page waits for the database once.
        async let last = log.last(of: id)
        guard let stored = try await records.record(id) else { return nil }
        return try await record(stored, last: await last, at: now)
    }

    /// - Returns: `nil` if there is no such capture.
    func find(shortID: String, at now: Date) async throws -> PublicRecord? {
        guard let stored = try await records.record(shortID: shortID) else { return nil }
        return try await record(stored, last: log.last(of: stored.row.id), at: now)
    }

    private func record(_ record: StoredRecord, last: PlacedStatement?, at now: Date) async throws -> PublicRecord {
        let parts = record.row.status == .processing ? try await captures.parts(of: record.row.id) : []
        let earlier = record.isReassessed ? try await log.earlierVerdicts(on: record.row.id) : []
        let status = record.row.status == .complete ? try await log.status(after: last, at: now) : nil
        return PublicRecord(
            record, log: status.map { RecordLog($0, earlier: earlier) },
            finished: Set(parts.filter { !$0.isGivenUp }.map(\.part)),
            media: published(record.media, of: record.row.id, at: now))
    }

    private func published(_ objects: [MediaName: StoredMedia], of id: CaptureID, at now: Date) -> [MediaName: PublishedMedia] {
        var media: [MediaName: PublishedMedia] = [:]
        for (name, object) in objects {
            media[name] = PublishedMedia(
                sha256: object.sha256, sizeBytes: object.sizeBytes, link: links.path(id, name, at: now), size: object.pixels)
        }
        return media
    }
}

extension PublicRecord {
    /// Leaves out the device's identity, the precise location and what the capture's flags keep back.
    init(_ record: StoredRecord, log: RecordLog?, finished: Set<EvidencePart>, media: [MediaName: PublishedMedia]) {
        let row = record.row
        self.init(
            id: row.id, kind: row.kind, status: row.status, failure: row.failure,
            confidence: row.confidence, mediaHash: row.mediaHash, capturedAt: row.capturedAt,
            receivedAt: row.publicUploadedAt, evidence: row.publicEvidence, hasPlace: row.location != nil,
            model: row.flags?.device == MetadataFlags.Device.none ? nil : record.model,
            isDevelopment: record.isDevelopment, signedAt: record.signedAt, issuer: record.issuer, finished: finished, media: media,
            claimingDevices: record.claimingDevices, log: log)
    }
}

extension RecordLog {
    init(_ status: LogStatus, earlier: [EarlierVerdict]) {
        let entry = status.origin.flatMap { origin in
            status.index.flatMap { index in status.treeSize.map { Entry(origin: origin, index: index, treeSize: $0) } }
        }
        let state: State =
            switch status.status {
            case .pending: .pending
            // It is settled only where no witness is asked for.
            case .logged: status.isSettled ? .alone : .logged
            case .witnessed: .witnessed
            case .unavailable: .unavailable
            }
        self.init(
            state: state, entry: entry, witnessedAt: status.witnessedAt,
            witnesses: status.witnesses.map { LogFacts.Witness(name: $0.name, at: $0.at) }, hasBundle: entry != nil && status.isSettled,
            isRevoked: status.standing == .revoked, earlier: earlier)
    }
}
