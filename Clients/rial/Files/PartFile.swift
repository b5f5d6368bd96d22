import Models

/// What the parts of a capture are called in a folder of the user's: as the server calls them where it keeps the same bytes.
enum PartFile {
    static let photo = "photo.jpg"
    static let photoDepth = "depth.f32.gz"
    static let quickTimeVideo = "video.mov"
    static let videoDepth = MediaName.depth.rawValue
    static let hashChain = MediaName.hashChain.rawValue
    static let metadata = MediaName.metadata.rawValue
    static let thumbnail = MediaName.thumbnail.rawValue
    static let assertion = "assertion.cbor"
    static let payload = "payload.json"
    /// The assertion over a payload.
    static let payloadAssertion = "payload.cbor"

    static let all = [
        photo, photoDepth, video(isQuickTime: true), video(isQuickTime: false), videoDepth, hashChain, metadata, thumbnail,
        assertion, payload, payloadAssertion,
    ]

    static func video(isQuickTime: Bool) -> String { isQuickTime ? quickTimeVideo : "video.mp4" }
}
