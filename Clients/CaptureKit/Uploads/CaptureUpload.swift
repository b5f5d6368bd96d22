import CaptureProtocol

/// The parts of a photo capture, exactly as uploaded.
public struct CaptureUpload: Sendable {
    /// Where it is sent, and also what is sent of one in privacy mode.
    public static let path = APIPath.captures

    /// The boundary of the ``MultipartBody``: the same for each attempt to send this capture.
    public let boundary: String
    /// JPEG.
    public let photo: PartContent
    /// Little-endian float32, row-major, compressed as gzip, zlib or raw DEFLATE.
    public let depthMap: PartContent
    /// JSON; see `CaptureMetadata`.
    public let metadata: [UInt8]
    /// App Attest assertion (CBOR).
    public let assertion: [UInt8]?

    public init(boundary: String, photo: PartContent, depthMap: PartContent, metadata: [UInt8], assertion: [UInt8]?) {
        self.boundary = boundary
        self.photo = photo
        self.depthMap = depthMap
        self.metadata = metadata
        self.assertion = assertion
    }

    /// The photo directly precedes the depth map, so that the server can hash the two together while it receives them.
    public var body: MultipartBody {
        var parts = [
            MultipartBody.Part(.photo, fileName: "photo.jpg", contentType: "image/jpeg", content: photo),
            .init(.depthMap, fileName: "depth.f32.gz", contentType: "application/octet-stream", content: depthMap),
            .init(.metadata, contentType: "application/json", content: .bytes(metadata)),
        ]
        if let assertion { parts.append(.init(.assertion, contentType: "application/cbor", content: .bytes(assertion))) }
        return MultipartBody(boundary: boundary, parts: parts)
    }
}
