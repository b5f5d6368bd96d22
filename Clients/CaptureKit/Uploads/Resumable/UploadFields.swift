package import CaptureProtocol
import Foundation

/// The header fields of resumable uploads (draft-ietf-httpbis-resumable-upload-11, interop version 8).
package enum UploadFields {
    package typealias Field = (name: String, value: String)

    package static let version: Field = (UploadHeader.version.inLowerCase, "8")

    /// Says that the request has the whole body, or its end, as URLSession sends it.
    package static let complete: Field = (UploadHeader.complete.inLowerCase, "?1")

    /// The fields of an empty request that only creates an upload, beside those that a plain upload has.
    static func creation(lengthBytes: Int64) -> [Field] {
        [version, (UploadHeader.complete.inLowerCase, "?0"), (UploadHeader.length.inLowerCase, String(lengthBytes))]
    }

    /// The fields of a request with all bytes from `offset` on.
    static func rest(from offset: Int64) -> [Field] {
        [version, complete, (UploadHeader.offset.inLowerCase, String(offset)), ("content-type", UploadHeader.partialType)]
    }

    /// The digest of a whole body, whatever part of it a request has (RFC 9530 §3).
    package static func representationDigest(_ digest: ContentDigest) -> Field {
        (UploadHeader.representationDigest.inLowerCase, "sha-256=:\(Base64.encode(digest.bytes)):")
    }
}

extension HTTPResponse {
    /// Whether the server speaks of resumable uploads at all: every answer of one that does names the version.
    var isOfResumption: Bool { headers[UploadFields.version.name] != nil }

    /// Whether the device has too many open uploads: so long a wait is not for its next request but for the end of one of them.
    func wantsNoMoreUploads(at now: Date) -> Bool {
        status == 429 && retryAfter(at: now).map { $0 > .seconds(600) } ?? false
    }

    /// Whether the server has the whole body; `nil` if it does not say so.
    var isUploadComplete: Bool? {
        switch headers[UploadHeader.complete.inLowerCase].map(Self.bare) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// What the server has of the body; `nil` if it does not say so.
    var uploadOffset: Int64? { headers[UploadHeader.offset.inLowerCase].flatMap(Self.integer) }

    /// The whole body's length as the server has it.
    var uploadLength: Int64? { headers[UploadHeader.length.inLowerCase].flatMap(Self.integer) }

    /// An item without its parameters (RFC 9651 §3.3).
    private static func bare(_ field: String) -> Substring {
        (field.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first ?? "").drop { $0 == " " }.prefix { $0 != " " }
    }

    /// An integer that is not negative, of at most 15 digits (RFC 9651 §3.3.1).
    private static func integer(_ field: String) -> Int64? {
        let text = bare(field)
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
