import CaptureProtocol

/// The parts of a video capture, exactly as uploaded (SPEC §10.1).
public struct VideoUpload: Sendable {
    /// Where it is sent.
    public static let path = APIPath.videos

    /// The boundary of the ``MultipartBody``: the same for each attempt to send this capture.
    public let boundary: String
    /// MP4 or QuickTime.
    public let video: PartContent
    public let isQuickTime: Bool
    /// Compressed; see `DepthData`.
    public let depth: PartContent
    /// JSON; see `HashChain`.
    public let hashChain: PartContent
    /// JSON; see `VideoMetadata`.
    public let metadata: PartContent
    /// App Attest assertion (CBOR) over all four.
    public let assertion: PartContent?

    public init(
        boundary: String, video: PartContent, isQuickTime: Bool, depth: PartContent, hashChain: PartContent, metadata: PartContent,
        assertion: PartContent?
    ) {
        self.boundary = boundary
        self.video = video
        self.isQuickTime = isQuickTime
        self.depth = depth
        self.hashChain = hashChain
        self.metadata = metadata
        self.assertion = assertion
    }

    /// The large part last: the server knows what it is about to get.
    public var body: MultipartBody {
        var parts = [
            MultipartBody.Part(.metadata, contentType: "application/json", content: metadata),
            .init(.hashChain, contentType: "application/json", content: hashChain),
        ]
        if let assertion { parts.append(.init(.assertion, contentType: "application/cbor", content: assertion)) }
        parts.append(.init(.depthData, fileName: "depth.gz", contentType: "application/octet-stream", content: depth))
        parts.append(
            .init(
                .video, fileName: isQuickTime ? "video.mov" : "video.mp4",
                contentType: isQuickTime ? "video/quicktime" : "video/mp4", content: video))
        return MultipartBody(boundary: boundary, parts: parts)
    }
}
