import CaptureProtocol
import MediaStore
import Models
import ObjectStorage

/// An encoded picture or video; of a picture its size in pixels.
struct EncodedPicture: Sendable {
    let bytes: [UInt8]
    let pixels: PixelSize?
}

extension ObjectStore {
    /// Stores all pictures of a capture, at the same time.
    func store(_ pictures: [MediaName: EncodedPicture], of capture: CaptureID) async throws -> [MediaName: StoredMedia] {
        let made = AsyncStream { made in
            for (name, picture) in pictures { made.yield((name, picture)) }
            made.finish()
        }
        return try await store(made, of: capture)
    }

    /// Stores the pictures of a capture as they come, each at the same time as the others.
    func store(
        _ pictures: AsyncStream<(MediaName, EncodedPicture)>, of capture: CaptureID
    ) async throws -> [MediaName: StoredMedia] {
        try await withThrowingTaskGroup(of: (MediaName, StoredMedia).self) { group in
            for await (name, picture) in pictures {
                group.addTask {
                    (name, try await storeDerived(picture.bytes, named: name, of: capture, pixels: picture.pixels))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }
}
