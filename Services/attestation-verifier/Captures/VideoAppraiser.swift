import Attestation
import CaptureProtocol
import Foundation
import MediaStore
import Metrics
import Models
import Movie
import NIOCore
import ObjectStorage
import VideoChain

/// Appraises the signatures of a video, and computes its chain again in one pass over the stored file (SPEC §10.4).
struct VideoAppraiser: Sendable {
    let appraiser: CaptureAppraiser
    let storage: any ObjectStore

    /// - Throws: ``RejectedMessage`` if objects are missing or are not those that were accepted; storage errors unchanged.
    func appraise(
        _ content: VideoContent, _ announcement: CaptureAnnouncement, by device: RegisteredDevice
    ) async throws -> AppraisedRecording {
        let start = ContinuousClock.now
        defer { Metrics.Timer(label: "rial_chain_seconds").record(duration: start.duration(to: .now)) }
        let tables = try await FileTables(content, in: storage)
        let submitted = try await hashChain(content)
        switch submitted {
        case .original(let chain):
            let metadata = try Self.metadata(announcement, isOriginalLayout: true)
            // Nothing is done with the digests, but what the tables say of the file is evidence here too.
            _ = try await tables.sampleDigests(content, in: storage)
            let signatures = RecordingSignatures(
                original: announcement.assertion ?? metadata.assertion, over: chain, by: device, appraiser, at: announcement.receivedAt)
            return AppraisedRecording(signatures, RecordedChain(tables.movie, comparison: nil, checkpoints: []))
        case .chain(let chain):
            let metadata = try Self.metadata(announcement, isOriginalLayout: false)
            let comparison = try await compare(chain, with: content, tables, recording: metadata.recordingBytes ?? [])
            let signatures = RecordingSignatures(
                of: chain, final: announcement.assertion,
                over: VideoClientData.final(
                    video: content.video.sha256, depth: content.depth.sha256, metadata: ContentDigest(of: announcement.metadata),
                    hashChain: content.hashChain.sha256),
                by: device, appraiser, at: announcement.receivedAt)
            return AppraisedRecording(
                signatures,
                RecordedChain(
                    tables.movie, comparison: comparison,
                    checkpoints: zip(chain.checkpoints, signatures.verifiedCheckpoints).map { ($0, $1) }))
        }
    }

    private func hashChain(_ content: VideoContent) async throws -> SubmittedHashChain {
        let bytes = try await storage.accepted(content.hashChain, missing: .intakeMissing)
        do {
            return try SubmittedHashChain.parse(bytes)
        } catch {
            throw RejectedMessage(.captureUnreadable, detail: error.description)
        }
    }

    private static func metadata(_ announcement: CaptureAnnouncement, isOriginalLayout: Bool) throws -> VideoMetadata {
        do {
            return try VideoMetadata.parse(announcement.metadata, isOriginalLayout: isOriginalLayout)
        } catch {
            throw RejectedMessage(.metadataUnreadable, detail: error.description)
        }
    }

    private func compare(
        _ chain: HashChain, with content: VideoContent, _ tables: FileTables, recording: [UInt8]
    ) async throws -> ChainComparison {
        async let depth = depthDigests(content)
        let digests = try await tables.sampleDigests(content, in: storage)
        let (visitor, width, height) = try await depth
        return ChainComparison(
            of: chain, recording: ContentDigest(of: recording), movie: tables.movie, depthWidth: UInt16(clamping: width),
            depthHeight: UInt16(clamping: height), depth: visitor, frames: digests.frames, packets: digests.packets)
    }

    private func depthDigests(_ content: VideoContent) async throws -> (DepthDigests, Int, Int) {
        let reader = InflatedDepthData(DepthDigests())
        do {
            try await storage.streamAccepted(content.depth, missing: .intakeMissing) { try reader.update(ArraySlice($0.readableBytesView)) }
            return try reader.finish()
        } catch let error as DepthDataError where error.code != .outOfMemory {
            throw RejectedMessage(.depthUnreadable, detail: error.description)
        }
    }
}

/// The sample tables of a stored video, read by range before the file is: they count only once ``sampleDigests(_:in:)`` has compared them.
private struct FileTables: Sendable {
    let movie: Movie
    private let digest: ContentDigest

    /// - Throws: ``RejectedMessage`` if they cannot be those that were accepted.
    init(_ content: VideoContent, in storage: any ObjectStore) async throws {
        let box = try await storage.acceptedPiece(content.moov, of: content.video)
        digest = ContentDigest(of: box)
        do throws(MovieError) {
            movie = try Movie(movieBox: box, at: content.moov, fileLength: content.video.sizeBytes)
        } catch {
            throw RejectedMessage(.digestMismatch, detail: error.description)
        }
    }

    /// Hashes all samples in one pass over the file, which is compared as a whole.
    /// - Throws: ``RejectedMessage`` if the tables were not those of this file.
    func sampleDigests(_ content: VideoContent, in storage: any ObjectStore) async throws -> SampleDigests.Result {
        var digests = SampleDigests(of: movie)
        try await storage.streamAccepted(content.video, missing: .intakeMissing) { chunk in
            chunk.withUnsafeReadableBytes { digests.update($0) }
        }
        guard let found = digests.finish(), found.movieBox == digest else {
            throw RejectedMessage(.digestMismatch, detail: content.video.key)
        }
        return found
    }
}
