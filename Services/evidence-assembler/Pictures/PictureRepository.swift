import CaptureProtocol
import Models

/// A picture without a recorded size in pixels.
struct UnmeasuredPicture: Sendable {
    let capture: CaptureID
    let name: String
    let object: StoredMedia
}

/// The sizes of pictures.
protocol PictureRepository: Sendable {
    /// Pictures without a size, ordered by capture id and name, after the given one.
    func unmeasured(after last: UnmeasuredPicture?, limit: Int) async throws -> [UnmeasuredPicture]

    /// Saves the first size; later ones change nothing.
    func save(_ pixels: PixelSize, of picture: UnmeasuredPicture) async throws
}
