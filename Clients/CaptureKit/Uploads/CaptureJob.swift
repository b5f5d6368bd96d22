public import CaptureProtocol

/// What is to be sent of a capture.
///
/// In privacy mode it has no handle on photo or depth map, nor on the store: whoever is given it cannot send them.
public enum CaptureJob: Sendable {
    case full(CaptureUpload)
    case hashOnly(HashOnlyBody)

    /// The same bytes each time.
    public var body: any HTTPBody {
        switch self {
        case .full(let upload): upload.body
        case .hashOnly(let body): BytesBody(body.bytes())
        }
    }

    public var contentType: String {
        switch self {
        case .full(let upload): upload.body.contentType
        case .hashOnly: "application/json"
        }
    }
}
