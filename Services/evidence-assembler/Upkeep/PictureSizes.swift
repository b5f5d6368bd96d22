import CaptureProtocol
import Foundation
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
