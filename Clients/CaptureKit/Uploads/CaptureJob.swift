public import CaptureProtocol

/// What is to be sent of a capture.
///
/// In privacy mode it has no handle on photo or depth map, nor on the store: whoever is given it cannot send them.
public enum CaptureJob: Sendable {
    case full(CaptureUpload)
    case video(VideoUpload)
    case hashOnly(HashOnlyBody)

    /// The same bytes each time.
    public var body: any HTTPBody {
        switch self {
        case .full(let upload): upload.body
        case .video(let upload): upload.body
        case .hashOnly(let body): BytesBody(body.bytes())
        }
    }

    public var contentType: String {
        switch self {
        case .full(let upload): upload.body.contentType
        case .video(let upload): upload.body.contentType
        case .hashOnly: "application/json"
        }
    }

    /// Where it is sent.
    public var path: String {
        switch self {
        case .full, .hashOnly: CaptureUpload.path
        case .video: VideoUpload.path
        }
    }

    /// Whether a large body goes on after a break. In privacy mode it is small, and never anything else than whole.
    var mayResume: Bool {
        switch self {
        case .full, .video: true
        case .hashOnly: false
        }
    }
}
