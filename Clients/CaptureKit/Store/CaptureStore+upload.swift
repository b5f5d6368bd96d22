import CaptureProtocol
import Foundation

extension CaptureStore {
    /// What is to be sent of a capture: always the same bytes.
    /// - Throws: as ``upload(of:)``; ``StoreError`` `needsAssertion` in privacy mode without one.
    func job(of capture: StoredCapture) throws -> CaptureJob {
        switch capture.kind {
        case .photo: return .full(try upload(of: capture))
        case .video: return .video(try videoUpload(of: capture))
        case .hashOnly, .hashOnlyVideo:
            guard capture.hasAssertion else { throw StoreError.needsAssertion }
            return .hashOnly(HashOnlyBody(payload: try bytes(.payload, of: capture.id), assertion: try bytes(.assertion, of: capture.id)))
        }
    }

    /// The bytes that the hardware signs (SPEC §2, §9).
    func clientDataHash(of capture: StoredCapture) throws -> ContentDigest {
        let facts = capture.facts
        switch capture.kind {
        case .photo:
            return CaptureClientData.hash(photo: facts.photoDigest, depth: facts.depthDigest, metadata: facts.metadataDigest)
        case .video:
            guard let video = facts.video else { throw StoreError.contentRemoved }
            return VideoClientData.final(
                video: facts.photoDigest, depth: facts.depthDigest, metadata: facts.metadataDigest, hashChain: video.hashChainDigest)
        case .hashOnly, .hashOnlyVideo: return HashOnlyClientData.hash(payload: try bytes(.payload, of: capture.id))
        }
    }

    /// The parts of a capture as they are sent: photo and depth map are read from their sealed files piece by piece. Always the same bytes.
    /// - Throws: ``StoreError`` `contentRemoved`; ``SealError``, ``FileError``.
    func upload(of capture: StoredCapture) throws -> CaptureUpload {
        guard capture.kind == .photo, capture.hasContent else { throw StoreError.contentRemoved }
        let assertion = capture.hasAssertion ? try bytes(.assertion, of: capture.id) : nil
        return CaptureUpload(
            boundary: Self.boundary(of: capture), photo: try segment(.photo, of: capture), depthMap: try segment(.depth, of: capture),
            metadata: try bytes(.metadata, of: capture.id), assertion: assertion)
    }

    /// The parts of a video as they are sent, each read from its sealed file piece by piece. Always the same bytes.
    /// - Throws: as ``upload(of:)``.
    func videoUpload(of capture: StoredCapture) throws -> VideoUpload {
        guard let video = capture.facts.video, capture.hasContent else { throw StoreError.contentRemoved }
        return VideoUpload(
            boundary: Self.boundary(of: capture), video: try segment(.video, of: capture), isQuickTime: video.isQuickTime,
            depth: try segment(.depth, of: capture), hashChain: try segment(.hashChain, of: capture),
            metadata: try segment(.metadata, of: capture), assertion: capture.hasAssertion ? try segment(.assertion, of: capture) : nil)
    }

    private func segment(_ kind: SealedKind, of capture: StoredCapture) throws -> PartContent {
        .source(try SealedSegment(content(kind, of: capture.id)))
    }

    private static func boundary(of capture: StoredCapture) -> String {
        "rial-" + Hex.encode(withUnsafeBytes(of: capture.id.uuid.uuid) { Array($0) })
    }
}

/// A sealed file as a part of a body.
private struct SealedSegment: SegmentSource {
    let file: SealedFileReader
    let sizeBytes: Int64

    init(_ file: SealedFileReader) throws {
        self.file = file
        sizeBytes = file.sizeBytes
    }

    func makeReader() -> any HTTPBodyReader { makeReader(from: 0) }
    /// Opens the chunks from the one on that holds the byte.
    func makeReader(from offset: Int64) -> any HTTPBodyReader { Reader(file: file, sizeBytes: sizeBytes, offset: offset) }

    private actor Reader: HTTPBodyReader {
        private let file: SealedFileReader
        private let sizeBytes: Int64
        private var offset: Int64

        init(file: SealedFileReader, sizeBytes: Int64, offset: Int64) {
            self.file = file
            self.sizeBytes = sizeBytes
            self.offset = max(offset, 0)
        }

        /// To the end of a chunk, so that each is opened once.
        func next() throws -> [UInt8]? {
            guard offset < sizeBytes else { return nil }
            let rest = 65_536 - offset % 65_536
            let piece = try file.read(count: Int(rest), at: offset)
            guard !piece.isEmpty else { throw SealError.notAuthentic }
            offset += Int64(piece.count)
            return piece
        }
    }
}
