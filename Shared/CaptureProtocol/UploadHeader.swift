/// The names of the headers of uploads that may be resumed (draft-ietf-httpbis-resumable-upload-11, RFC 9530).
public enum UploadHeader: String, Sendable, CaseIterable {
    case version = "Upload-Draft-Interop-Version"
    case complete = "Upload-Complete"
    /// The inverse of ``complete``, in interop version 3.
    case incomplete = "Upload-Incomplete"
    case offset = "Upload-Offset"
    case length = "Upload-Length"
    case limit = "Upload-Limit"
    /// The digest of the whole body, whatever part of it a request has.
    case representationDigest = "Repr-Digest"

    /// The media type of a part of a body, from interop version 6 on (draft §7).
    public static let partialType = "application/partial-upload"

    /// As clients send it, and find it in a response.
    public var inLowerCase: String { rawValue.lowercased() }
}
