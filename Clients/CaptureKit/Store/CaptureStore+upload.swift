import CaptureProtocol
import Foundation

extension CaptureStore {
    /// What is to be sent of a capture: always the same bytes.
    /// - Throws: as ``upload(of:)``; ``StoreError`` `needsAssertion` in privacy mode without one.
    func job(of capture: StoredCapture) throws -> CaptureJob {
        switch capture.mode {
        case .full: return .full(try upload(of: capture))
        case .hashOnly:
            guard capture.hasAssertion else { throw StoreError.needsAssertion }
            return .hashOnly(HashOnlyBody(payload: try bytes(.payload, of: capture.id), assertion: try bytes(.assertion, of: capture.id)))
        }
    }

    /// The bytes that the hardware signs (SPEC §2, §9).
    func clientDataHash(of capture: StoredCapture) throws -> ContentDigest {
        switch capture.mode {
        case .full:
            let facts = capture.facts
            return CaptureClientData.hash(photo: facts.photoDigest, depth: facts.depthDigest, metadata: facts.metadataDigest)
        case .hashOnly: return HashOnlyClientData.hash(payload: try bytes(.payload, of: capture.id))
        }
    }

    /// The parts of a capture as they are sent: photo and depth map are read from their sealed files piece by piece. Always the same bytes.
    /// - Throws: ``StoreError`` `contentRemoved`; ``SealError``, ``FileError``.
    func upload(of capture: StoredCapture) throws -> CaptureUpload {
        guard capture.mode == .full, capture.hasContent else { throw StoreError.contentRemoved }
        let assertion = capture.hasAssertion ? try bytes(.assertion, of: capture.id) : nil
        return CaptureUpload(
            boundary: "rial-" + Hex.encode(withUnsafeBytes(of: capture.id.uuid.uuid) { Array($0) }),
            photo: .source(try SealedSegment(content(.photo, of: capture.id))),
            depthMap: .source(try SealedSegment(content(.depth, of: capture.id))),
            metadata: try bytes(.metadata, of: capture.id), assertion: assertion)
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
