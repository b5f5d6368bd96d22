import CaptureProtocol
import Foundation
import Models

/// Gathers what the site may show of a capture.
struct FactsReader: Sendable {
    let captures: CaptureRepository
    let records: SiteRepository
    let links: MediaLinks

    /// - Returns: `nil` if there is no such capture.
    func facts(_ id: CaptureID, at now: Date) async throws -> CaptureFacts? {
        guard let record = try await records.record(id) else { return nil }
        return try await facts(record, at: now)
    }

    /// - Returns: `nil` if there is no such capture.
    func facts(shortID: String, at now: Date) async throws -> CaptureFacts? {
        guard let record = try await records.record(shortID: shortID) else { return nil }
        return try await facts(record, at: now)
    }

    private func facts(_ record: SiteRecord, at now: Date) async throws -> CaptureFacts {
        let parts = record.row.status == .processing ? try await captures.parts(of: record.row.id) : []
        return CaptureFacts(
            record, finished: Set(parts.filter { !$0.isGivenUp }.map(\.part)),
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

extension CaptureFacts {
    /// Leaves out whose device it was, and where exactly.
    init(_ record: SiteRecord, finished: Set<EvidencePart>, media: [MediaName: PublishedMedia]) {
        let row = record.row
        self.init(
            id: row.id, shortID: row.shortID, kind: row.kind, status: row.status, failure: row.failure,
            confidence: row.confidence, mediaHash: row.mediaHash, capturedAt: CapturedTime(row.capturedAt, kind: row.kind),
            receivedAt: row.uploadedAt, evidence: row.evidence?.publicForm(), hasPlace: row.location != nil, model: record.model,
            isDevelopment: record.isDevelopment, signedAt: record.signedAt, issuer: record.issuer, finished: finished, media: media,
            claimingDevices: record.claimingDevices)
    }
}
