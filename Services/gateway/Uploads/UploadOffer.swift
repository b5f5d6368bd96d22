import CaptureProtocol
import HTTPTypes

/// What a `POST` says of an upload that may be resumed.
struct UploadOffer: Sendable, Equatable {
    let version: InteropVersion
    /// Whether the request holds the whole body.
    let isComplete: Bool
    /// Whether the request has no body.
    let isEmpty: Bool
    /// The length of the whole body in bytes, at least 1.
    let length: Int64
    /// SHA-256 of the whole body, which the device signed.
    let digest: ContentDigest
    /// Whether the client said which version it speaks: only then a 104 is understood (draft, "Draft Version Identification").
    let takesInterimResponses: Bool

    /// - Returns: `nil` for a plain upload, among them what URLSession sends unasked.
    /// - Throws: ``UploadError`` if only a part of the body is sent and something is missing, or if lengths contradict each other.
    init?(_ fields: HTTPFields) throws(UploadError) {
        let named = fields[.uploadDraftInteropVersion]
        let version = InteropVersion(field: named)
        // A version that is not known is read like the latest, to see whether the body is a part.
        let reading = version ?? .latest
        guard let completeness = fields[reading.completenessName] else { return nil }
        guard let isComplete = reading.isComplete(completeness) else {
            throw .fields([.init(name: reading.completenessName.rawName, problem: "must be ?0 or ?1")])
        }
        let content = fields[.contentLength].flatMap { Int64($0) }
        let declared = fields[.uploadLength].flatMap { StructuredField.integer($0) }
        let digest = fields[.reprDigest].flatMap { StructuredField.bytes("sha-256", inDictionary: $0) }.flatMap { ContentDigest(bytes: $0) }
        var missing: [UploadError.Field] = []
        if version == nil { missing.append(.init(name: HTTPField.Name.uploadDraftInteropVersion.rawName, problem: "must be 3 to 8")) }
        if fields[.deviceSignatureVersion] != "2" {
            missing.append(.init(name: HTTPField.Name.deviceSignatureVersion.rawName, problem: "must be 2"))
        }
        if digest == nil { missing.append(.init(name: HTTPField.Name.reprDigest.rawName, problem: "must have the body's sha-256")) }
        let length = declared ?? (isComplete ? content : nil)
        if (length ?? 0) < 1 {
            missing.append(.init(name: HTTPField.Name.uploadLength.rawName, problem: "must be the length of the whole body"))
        }
        guard missing.isEmpty, let version, let digest, let length else {
            if isComplete { return nil }
            throw .fields(missing)
        }
        // Without a 104 nobody could resume it.
        if isComplete, named == nil { return nil }
        if let content, isComplete ? content != length : content > length { throw .inconsistentLength }
        self.version = version
        self.isComplete = isComplete
        // RFC 9112 §6.3: a request without either field has no body.
        isEmpty = content == 0 || (content == nil && fields[.transferEncoding] == nil)
        if isComplete, isEmpty { throw .inconsistentLength }
        self.length = length
        self.digest = digest
        takesInterimResponses = named != nil
    }
}

/// The fields of a `PATCH`.
struct UploadAppend: Sendable, Equatable {
    /// Where its content begins, in bytes.
    let offset: Int64
    /// Whether the body ends with it.
    let isComplete: Bool
    /// The length of its content; `nil` if unknown.
    let contentLength: Int64?
    /// The length of the whole body, if the client repeats it.
    let uploadLength: Int64?

    /// - Throws: ``UploadError`` for what is missing or malformed.
    init(_ fields: HTTPFields, version: InteropVersion) throws(UploadError) {
        if version.hasPartialUploadType {
            guard fields.mediaType == UploadHeader.partialType else { throw .notPartialUpload }
        }
        guard let offset = fields[.uploadOffset].flatMap({ StructuredField.integer($0) }) else {
            throw .fields([.init(name: HTTPField.Name.uploadOffset.rawName, problem: "must be a number of bytes")])
        }
        self.offset = offset
        let name = version.completenessName
        guard let isComplete = fields[name].map({ version.isComplete($0) }) ?? true else {
            throw .fields([.init(name: name.rawName, problem: "must be ?0 or ?1")])
        }
        self.isComplete = isComplete
        uploadLength = fields[.uploadLength].flatMap { StructuredField.integer($0) }
        if fields[.uploadLength] != nil, uploadLength == nil {
            throw .fields([.init(name: HTTPField.Name.uploadLength.rawName, problem: "must be a number of bytes")])
        }
        contentLength =
            fields[.contentLength].map { Int64($0) } ?? (fields[.transferEncoding] == nil ? 0 : nil)
    }
}
