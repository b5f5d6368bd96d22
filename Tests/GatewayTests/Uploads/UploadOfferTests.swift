import CaptureProtocol
import HTTPTypes
import Testing

@testable import Gateway

@Suite("What a request says of an upload")
struct UploadOfferTests {
    static let digest = ContentDigest(of: [1, 2, 3])

    /// A creation by interop version 6 with the whole body.
    static func whole(
        of digest: ContentDigest = digest, length: Int = 1000, _ change: (inout HTTPFields) -> Void = { _ in }
    ) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: "multipart/form-data; boundary=x", .contentLength: String(length), .uploadDraftInteropVersion: "6",
            .uploadComplete: "?1", .deviceSignatureVersion: "2", .reprDigest: "sha-256=:\(Base64.encode(digest.bytes)):",
        ]
        change(&fields)
        return fields
    }

    /// One without the body.
    static func empty(
        of digest: ContentDigest = digest, length: Int = 1000, _ change: (inout HTTPFields) -> Void = { _ in }
    ) -> HTTPFields {
        whole(of: digest, length: length) {
            $0[.uploadComplete] = "?0"
            $0[.contentLength] = "0"
            $0[.uploadLength] = String(length)
            change(&$0)
        }
    }

    @Test("a whole body with its digest and length may be resumed")
    func whole() throws {
        let offer = try #require(try UploadOffer(Self.whole()))
        #expect(offer.version == .six && offer.isComplete && !offer.isEmpty && offer.length == 1000 && offer.digest == Self.digest)
        #expect(offer.takesInterimResponses)
        let chunked = try UploadOffer(
            Self.whole {
                $0[.contentLength] = nil
                $0[.transferEncoding] = "chunked"
                $0[.uploadLength] = "5"
            })
        #expect(chunked?.length == 5 && chunked?.isEmpty == false)
    }

    @Test("version 3 says the inverse")
    func inverted() throws {
        let fields = Self.whole {
            $0[.uploadDraftInteropVersion] = "3"
            $0[.uploadComplete] = nil
            $0[.uploadIncomplete] = "?0"
        }
        #expect(try UploadOffer(fields)?.isComplete == true)
        #expect(try UploadOffer(Self.whole { $0[.uploadDraftInteropVersion] = "3" }) == nil)
    }

    @Test("a whole body that lacks something is a plain upload, as what URLSession adds unasked")
    func plain() throws {
        let changes: [(inout HTTPFields) -> Void] = [
            { $0[.reprDigest] = nil }, { $0[.reprDigest] = "sha-512=:AA==:" }, { $0[.deviceSignatureVersion] = "1" },
            { $0[.deviceSignatureVersion] = nil }, { $0[.uploadDraftInteropVersion] = "2" }, { $0[.uploadDraftInteropVersion] = "9" },
            { $0[.uploadDraftInteropVersion] = nil }, { $0[.uploadComplete] = nil }, { $0[.contentLength] = nil },
        ]
        for (number, change) in changes.enumerated() { #expect(try UploadOffer(Self.whole(change)) == nil, "\(number)") }
    }

    @Test("an empty creation needs no body, and counts as version 8 without one, but is sent no 104")
    func empty() throws {
        let offer = try #require(try UploadOffer(Self.empty()))
        #expect(!offer.isComplete && offer.isEmpty && offer.length == 1000)
        #expect(try UploadOffer(Self.empty { $0[.contentLength] = nil })?.isEmpty == true)
        let unnamed = try #require(try UploadOffer(Self.empty { $0[.uploadDraftInteropVersion] = nil }))
        #expect(unnamed.version == .eight && !unnamed.takesInterimResponses)
    }

    @Test("a part of a body that lacks something is refused, by the name of what it lacks")
    func incomplete() {
        let changes: [((inout HTTPFields) -> Void, String)] = [
            ({ $0[.reprDigest] = nil }, "Repr-Digest"), ({ $0[.uploadLength] = nil }, "Upload-Length"),
            ({ $0[.uploadLength] = "0" }, "Upload-Length"), ({ $0[.uploadLength] = "x" }, "Upload-Length"),
            ({ $0[.deviceSignatureVersion] = "1" }, "X-Device-Signature-Version"),
            ({ $0[.uploadDraftInteropVersion] = "2" }, "Upload-Draft-Interop-Version"),
            ({ $0[.uploadComplete] = "0" }, "Upload-Complete"),
        ]
        for (change, name) in changes {
            let error = refusal { _ = try UploadOffer(Self.empty(change)) }
            #expect(error?.code == .validationError && error?.details.map(\.field) == [name], "\(name)")
        }
    }

    @Test("lengths that contradict each other are refused")
    func lengths() {
        // The last one has no body, which is not the whole one.
        let bodiless = Self.empty {
            $0[.uploadComplete] = "?1"
            $0[.contentLength] = nil
        }
        for fields in [Self.whole { $0[.uploadLength] = "999" }, Self.empty { $0[.contentLength] = "1001" }, bodiless] {
            #expect(refusal { _ = try UploadOffer(fields) }?.code == .uploadLengthInconsistent)
        }
    }

    @Test("what a PATCH needs depends on its version", arguments: InteropVersion.allCases)
    func append(version: InteropVersion) throws {
        var fields: HTTPFields = [.uploadOffset: "17", .contentLength: "3"]
        if version.hasPartialUploadType {
            #expect(refusal { _ = try UploadAppend(fields, version: version) }?.code == .unsupportedMediaType)
            fields[.contentType] = "Application/Partial-Upload ; x=y"
        }
        let append = try UploadAppend(fields, version: version)
        #expect(append.offset == 17 && append.isComplete && append.contentLength == 3 && append.uploadLength == nil)
        fields[version.completenessName] = version.completeness(false)
        #expect(try !UploadAppend(fields, version: version).isComplete)
        fields[.contentLength] = nil
        #expect(try UploadAppend(fields, version: version).contentLength == 0)
        fields[.transferEncoding] = "chunked"
        #expect(try UploadAppend(fields, version: version).contentLength == nil)
        for (name, value) in [(HTTPField.Name.uploadOffset, "-1"), (.uploadLength, "much"), (version.completenessName, "no")] {
            var odd = fields
            odd[name] = value
            #expect(refusal { _ = try UploadAppend(odd, version: version) }?.details.map(\.field) == [name.rawName])
        }
        fields[.uploadOffset] = nil
        #expect(refusal { _ = try UploadAppend(fields, version: version) }?.details.map(\.field) == ["Upload-Offset"])
    }
}
