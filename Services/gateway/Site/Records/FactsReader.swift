import Foundation
import Models

/// Gathers what the site may show of a capture.
struct FactsReader: Sendable {
    let captures: CaptureRepository
    let records: SiteRepository
    let sizes: PictureSizes
    let links: MediaLinks

    /// Pictures whose size a page needs.
    private static let measured = PhotoView.variants + ["public.jpg", "depth-preview.png"]

    func facts(_ row: CaptureRow, at now: Date) async throws -> CaptureFacts {
        async let surroundings = records.surroundings(of: row.id)
        async let parts = row.status == .processing ? captures.parts(of: row.id) : []
        let media = try await published(row.id, at: now)
        return CaptureFacts(
            row, try await surroundings, finished: Set(try await parts.filter { !$0.isGivenUp }.map(\.part)), media: media)
    }

    private func published(_ id: CaptureID, at now: Date) async throws -> [String: PublishedMedia] {
        let objects = try await records.media(of: id)
        var sizes: [String: PixelSize] = [:]
        for name in Self.measured {
            if let object = objects[name] { sizes[name] = await self.sizes.size(of: object) }
        }
        // The signed copy is the public one with credentials: the same picture.
        sizes["c2pa.jpg"] = sizes["public.jpg"]
        var media: [String: PublishedMedia] = [:]
        for (name, object) in objects {
            media[name] = PublishedMedia(
                sha256: object.sha256, sizeBytes: object.sizeBytes, link: links.path(id, name, at: now), size: sizes[name])
        }
        return media
    }
}

extension CaptureFacts {
    /// Leaves out whose device it was, and where exactly.
    init(
        _ row: CaptureRow, _ surroundings: SiteRepository.Surroundings?, finished: Set<EvidencePart>, media: [String: PublishedMedia]
    ) {
        self.init(
            id: row.id, shortID: row.shortID, type: row.type, mode: row.mode, status: row.status, failure: row.failure,
            confidence: row.confidence, mediaHash: row.mediaHash, capturedAt: CapturedTime(row.capturedAt, mode: row.mode),
            receivedAt: row.uploadedAt, evidence: row.evidence?.publicForm(), hasPlace: row.location != nil, model: surroundings?.model,
            isDevelopment: surroundings?.isDevelopment ?? false, signedAt: surroundings?.signedAt, issuer: surroundings?.issuer,
            finished: finished, media: media)
    }
}
