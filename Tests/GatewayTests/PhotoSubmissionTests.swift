import CaptureProtocol
import Foundation
import Models
import Testing

@testable import Gateway

@Suite("Photo submissions")
struct PhotoSubmissionTests {
    private static let photoDigest = [UInt8](repeating: 1, count: 32)
    /// An empty CBOR map.
    private static let cbor: [UInt8] = [0xa0]

    @Test("parts that agree are a submission")
    func sound() throws {
        let body = try Self.body()
        let submission = try PhotoSubmission(body)
        #expect(submission.metadata.depthWidth == 256 && submission.metadata.depthHeight == 192)
        #expect(submission.assertion == nil && submission.detection == nil)
        #expect(try submission.metadataBytes == body.small.bytes(of: .metadata, atMost: 1, .metadata))
    }

    @Test("the assertion's part goes before the metadata's field")
    func assertion() throws {
        let body = try Self.body(metadata: ["assertion": Base64.encode(Self.cbor)])
        #expect(try PhotoSubmission(body).assertion == Self.cbor)
        var both = body
        both.small.collect([0xa1, 0x01, 0x02], of: .assertion)
        #expect(try PhotoSubmission(both).assertion == [0xa1, 0x01, 0x02])
    }

    @Test("each missing part is a validation error that names it")
    func missing() throws {
        try expect(.validationError, "photo") { $0.photo = nil }
        try expect(.validationError, "depth_map") { $0.depth = nil }
        try expect(.validationError, "metadata") { $0.small = CollectedParts() }
    }

    @Test("an empty photo or depth map is a missing one")
    func empty() throws {
        try expect(.validationError, "photo") { $0.photo = Self.media("photo", sizeBytes: 0) }
        try expect(.validationError, "depth_map") { $0.depth = Self.media("depth", sizeBytes: 0) }
    }

    @Test("a photo that is no JPEG is refused")
    func noJPEG() throws { try expect(.unsupportedMediaType, "photo") { $0.isJPEG = false } }

    @Test("metadata that cannot be read is refused", arguments: ["", "{", "[]", "null", "{\"captured_at\":1}"])
    func metadata(text: String) throws {
        var body = try Self.body()
        body.small.collect(Array(text.utf8), of: .metadata)
        #expect(refusal { _ = try PhotoSubmission(body) }?.code == .invalidMetadata)
    }

    @Test(
        "each metadata field that is missing or wrong is named",
        arguments: [
            ("captured_at", "yesterday"), ("captured_at", nil), ("device_model", ""), ("device_model", "a\u{0}b"), ("device_model", nil),
            ("photo_hash", "00"), ("photo_hash", nil), ("depth_map_dimensions", nil), ("depth_map_dimensions", "256x192"),
        ] as [(String, String?)])
    func fields(field: String, value: String?) throws {
        let body = try Self.body(metadata: [field: value as Any? ?? NSNull()])
        let refused = refusal { _ = try PhotoSubmission(body) }
        #expect(refused?.code == .invalidMetadata)
        #expect(refused?.details.map(\.field) == [field])
    }

    @Test("dimensions are 1 to 1024 a side", arguments: [(0, 1), (1, 0), (1025, 1), (1, 1025), (-1, 4), (1 << 40, 1 << 40)])
    func dimensions(width: Int, height: Int) throws {
        let body = try Self.body(metadata: ["depth_map_dimensions": ["width": width, "height": height]])
        #expect(refusal { _ = try PhotoSubmission(body) }?.code == .invalidMetadata)
    }

    @Test("metadata larger than 64 KiB is refused as metadata")
    func largeMetadata() throws {
        try expect(.invalidMetadata, "metadata") { $0.small.collect(nil, of: .metadata) }
    }

    @Test("a photo hash that is another photo's is refused")
    func photoHash() throws {
        try expect(.invalidMetadata, "photo_hash") { $0.photo = Self.media("photo", digest: [UInt8](repeating: 2, count: 32)) }
    }

    @Test("a depth part that does not inflate is refused")
    func noDepth() throws { try expect(.invalidDepthFormat, "depth_map") { $0.depthBytes = nil } }

    @Test("a depth map of another size than told is refused", arguments: [0, 196_604, 196_607, 196_612, 256 * 192])
    func depthSize(bytes: Int) throws { try expect(.invalidDepthFormat, "depth_map") { $0.depthBytes = bytes } }

    @Test("an assertion that is not CBOR is refused", arguments: [[], [0xff], [0xa1, 0x01], [0xa0, 0xa0], Array("{}".utf8)] as [[UInt8]])
    func badAssertion(bytes: [UInt8]) throws { try expect(.invalidAssertion, "assertion") { $0.small.collect(bytes, of: .assertion) } }

    @Test("an assertion in the metadata that is not base64 or CBOR is refused", arguments: ["***", "/w==", "A"])
    func badAssertionText(text: String) throws {
        let body = try Self.body(metadata: ["assertion": text])
        #expect(refusal { _ = try PhotoSubmission(body) }?.code == .invalidAssertion)
    }

    @Test("an assertion far larger than any is refused")
    func largeAssertion() throws {
        // A byte string of 2,046 bytes is valid CBOR, but with its head one byte too long.
        try expect(.invalidAssertion, "assertion") {
            $0.small.collect([0x59, 0x07, 0xfe] + [UInt8](repeating: 0, count: 2046), of: .assertion)
        }
        try expect(.invalidAssertion, "assertion") { $0.small.collect(nil, of: .assertion) }
    }

    @Test(
        "a detection is a JSON object", arguments: ["", "[]", "7", "{", "null", "{\"a\":\"\u{0}\"}", String(repeating: "[", count: 60_000)])
    func detection(text: String) throws {
        try expect(.validationError, "detection") { $0.small.collect(Array(text.utf8), of: .detection) }
    }

    @Test("a detection larger than 64 kB is refused")
    func largeDetection() throws {
        try expect(.validationError, "detection") { $0.small.collect(nil, of: .detection) }
    }

    @Test("a sound detection is kept")
    func keptDetection() throws {
        var body = try Self.body()
        body.small.collect(Array("{ \"moire\": 0.1 }".utf8), of: .detection)
        #expect(try PhotoSubmission(body).detection == DetectionReport(parsing: Array(#"{"moire":0.1}"#.utf8)))
    }

    @Test("parts are refused before metadata, metadata before depth, depth before digests")
    func order() throws {
        var body = try Self.body()
        body.photo = Self.media("photo", digest: [UInt8](repeating: 2, count: 32))
        body.depthBytes = nil
        #expect(refusal { _ = try PhotoSubmission(body) }?.code == .invalidDepthFormat)
        body.small.collect([], of: .metadata)
        #expect(refusal { _ = try PhotoSubmission(body) }?.code == .invalidMetadata)
        body.depth = nil
        #expect(refusal { _ = try PhotoSubmission(body) }?.code == .validationError)
    }

    private func expect(
        _ code: ErrorCode, _ field: String, at location: SourceLocation = #_sourceLocation, _ change: (inout PhotoParts.Received) -> Void
    ) throws {
        var body = try Self.body()
        change(&body)
        let refused = refusal { _ = try PhotoSubmission(body) }
        #expect(refused?.code == code, sourceLocation: location)
        #expect(refused?.details.map(\.field) == [field], sourceLocation: location)
    }

    /// A valid body; `NSNull` removes a metadata field.
    static func body(metadata changes: [String: Any] = [:]) throws -> PhotoParts.Received {
        var fields: [String: Any] = [
            "captured_at": "2026-11-21T07:00:00Z", "device_model": "iPhone 15 Pro", "photo_hash": Hex.encode(photoDigest),
            "depth_map_dimensions": ["width": 256, "height": 192],
        ]
        for (name, value) in changes { fields[name] = value is NSNull ? nil : value }
        var body = PhotoParts.Received()
        body.photo = media("photo", digest: photoDigest)
        body.depth = media("depth")
        body.isJPEG = true
        body.depthBytes = 256 * 192 * 4
        body.small.collect(Array(try JSONSerialization.data(withJSONObject: fields)), of: .metadata)
        return body
    }

    private static func media(_ name: String, digest: [UInt8] = [UInt8](repeating: 9, count: 32), sizeBytes: Int64 = 5) -> StoredMedia? {
        ContentDigest(bytes: digest).map {
            StoredMedia(key: "incoming/x/\(name)", sha256: $0, sizeBytes: sizeBytes, contentType: "application/octet-stream")
        }
    }
}
