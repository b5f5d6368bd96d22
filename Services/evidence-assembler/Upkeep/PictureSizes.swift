import CaptureProtocol
import Foundation
import JPEGMetadata
import Logging
import Metrics
import Models
import NIOCore
import ObjectStorage

/// Measures pictures of versions that did not record sizes (SPEC §5).
///
/// It may be interrupted at any time and run by several instances at once: a size is written only once.
struct PictureSizes: Sendable {
    static let batchSize = 50
    /// Enough for the headers, including EXIF and the colour profile.
    static let headBytes = 128 * 1024
    let pictures: any PictureRepository
    let storage: any ObjectStore
    let logger: Logger

    /// Measures all pictures without a size in one pass; pictures that cannot be measured do not block the others.
    /// - Throws: database errors, and storage errors once three pictures in a row could not be read.
    func fill() async throws {
        let backfill = Backfill(batchSize: Self.batchSize) { last in
            try await pictures.unmeasured(after: last, limit: Self.batchSize)
        } fill: {
            try await measure($0)
        } log: { picture, error in
            logger.warning("a picture could not be measured", error: error, metadata: ["key": "\(picture.object.key)"])
        }
        try await backfill.run()
    }

    private func measure(_ picture: UnmeasuredPicture) async throws {
        var head: [UInt8] = []
        // Read to the end although only the head is used: the digest is compared at the end.
        for try await chunk in try await storage.stream(picture.object) {
            head.append(contentsOf: chunk.readableBytesView.prefix(max(0, Self.headBytes - head.count)))
        }
        guard let size = PictureHead.size(head) else {
            logger.warning("no picture that could be measured", metadata: ["key": "\(picture.object.key)"])
            return
        }
        try await pictures.save(size, of: picture)
        Counter(label: "rial_pictures_measured_total").increment()
    }
}

/// The head of a JPEG or PNG file.
enum PictureHead {
    /// The size as displayed, with the EXIF orientation applied.
    /// - Returns: `nil` for other formats or an incomplete head.
    static func size(_ head: [UInt8]) -> PixelSize? {
        // PNG (third edition) §5.2, §11.2.1: signature, then IHDR with width and height.
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            guard head.count >= 24, head[12..<16].elementsEqual(Array("IHDR".utf8)) else { return nil }
            return PixelSize(number(head[16..<20]), number(head[20..<24]))
        }
        guard let fields = EXIFReader.read(jpeg: head), let width = fields.pixelWidth, let height = fields.pixelHeight else { return nil }
        let size = EXIFReader.upright((width, height), orientation: fields.orientation)
        return PixelSize(size.width, size.height)
    }

    /// Big-endian.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
