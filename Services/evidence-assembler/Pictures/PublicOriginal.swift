/// The public copy of a photo or a video.
enum PublicOriginal: Sendable {
    /// `nil` if the photo is missing or not a valid JPEG.
    case photo(PublicCopy?)
    case video(PublicVideo)
}
