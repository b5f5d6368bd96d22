import CaptureProtocol
import Models

/// A picture whose size in pixels was not recorded.
struct UnmeasuredPicture: Sendable {
    let capture: CaptureID
    let name: String
    let object: StoredMedia
}

/// The sizes of pictures.
protocol PictureRepository: Sendable {
    /// Pictures without a size, in the order of captures and names, after the given one.
    func unmeasured(after last: UnmeasuredPicture?, limit: Int) async throws -> [UnmeasuredPicture]

    /// Keeps the first size; later ones change nothing.
    func save(_ pixels: PixelSize, of picture: UnmeasuredPicture) async throws
}
