import CaptureProtocol
import Foundation
import Logging
import Metrics
import Models
import NIOCore
import ObjectStorage
import Synchronization

/// Measures pictures of versions that did not record sizes (SPEC §5).
///
/// A picture that has no size, or whose object is missing or another one, is not read again by this process: anyone can upload such.
/// It may be interrupted at any time and run by several instances at once: a size is written only once.
struct PictureSizes: Sendable {
    static let batchSize = 50
    /// Enough for the headers, including EXIF and the colour profile.
    static let headBytes = 128 * 1024
    let pictures: any PictureRepository
    let storage: any ObjectStore
    let logger: Logger
    private let sizeless = SizelessPictures()

    /// Measures all pictures without a size in one pass; pictures that cannot be measured do not block the others.
    /// - Throws: database errors, and storage errors once three pictures in a row could not be read now.
    func fill() async throws {
        let backfill = Backfill(batchSize: Self.batchSize) { last in
            try await pictures.unmeasured(after: last, limit: Self.batchSize)
        } fill: {
            try await measure($0)
        } log: { picture, error in
            logger.warning("a picture could not be measured", error: error, metadata: ["key": "\(picture.object.key)"])
        } isPassed: {
            sizeless.contains($0)
        }
        try await backfill.run()
    }

    private func measure(_ picture: UnmeasuredPicture) async throws {
        let size: PixelSize?
        do {
            size = PictureHead.size(try await head(of: picture))
        } catch let error as ObjectStorageError where !error.isTransient {
            logger.warning("a picture cannot be measured", error: error, metadata: ["key": "\(picture.object.key)"])
            return sizeless.add(picture)
        }
        guard let size else {
            logger.warning("no picture that could be measured", metadata: ["key": "\(picture.object.key)"])
            return sizeless.add(picture)
        }
        try await pictures.save(size, of: picture)
        Counter(label: "rial_pictures_measured_total").increment()
    }

    private func head(of picture: UnmeasuredPicture) async throws -> [UInt8] {
        var head: [UInt8] = []
        // Read to the end although only the head is used: the digest is compared at the end.
        for try await chunk in try await storage.stream(picture.object) {
            head.append(contentsOf: chunk.readableBytesView.prefix(max(0, Self.headBytes - head.count)))
        }
        return head
    }
}

/// Pictures that will not get a size. More than ``limit`` are not kept: those are read in each pass.
private final class SizelessPictures: Sendable {
    /// Some megabytes.
    static let limit = 50_000

    private struct Name: Hashable {
        let capture: CaptureID
        let name: String
    }

    private let names = Mutex<Set<Name>>([])

    func contains(_ picture: UnmeasuredPicture) -> Bool {
        names.withLock { $0.contains(Name(capture: picture.capture, name: picture.name)) }
    }

    func add(_ picture: UnmeasuredPicture) {
        names.withLock { names in
            guard names.count < Self.limit else { return }
            names.insert(Name(capture: picture.capture, name: picture.name))
        }
    }
}
