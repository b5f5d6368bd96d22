import Attestation
import CaptureProtocol
import Models

/// The small parts that captures with media have, as they came.
struct CollectedParts: Sendable {
    /// A part that came.
    private enum Part: Sendable {
        case bytes([UInt8])
        case tooLarge
    }

    private var parts: [UploadPart: Part] = [:]

    /// Their maximum sizes in bytes.
    static let limits: [UploadPart: Int] = [
        .metadata: SizeLimits.metadata, .assertion: SizeLimits.metadata, .detection: SizeLimits.metadata,
    ]

    /// - Parameter bytes: `nil` if there were too many.
    mutating func collect(_ bytes: [UInt8]?, of part: UploadPart) { parts[part] = bytes.map(Part.bytes) ?? .tooLarge }

    /// Whether the part came, in whatever size.
    func has(_ part: UploadPart) -> Bool { parts[part] != nil }

    /// - Returns: `nil` if the part is absent.
    /// - Throws: ``CaptureError`` of `subject` if it was larger than its limit.
    func bytes(of part: UploadPart, atMost limit: Int, _ subject: CaptureError.Subject) throws(CaptureError) -> [UInt8]? {
        switch parts[part] {
        case nil: nil
        case .bytes(let bytes): bytes
        case .tooLarge: throw .invalid(part: part, "is larger than \(limit >> 10) KiB", subject)
        }
    }

    /// The assertion part, or else the one in the metadata; `nil` without both. Must be CBOR.
    func assertion(orInMetadata other: [UInt8]?) throws(CaptureError) -> [UInt8]? {
        let field = UploadPart.assertion.rawValue
        switch parts[.assertion] {
        case nil: return try other.map { bytes throws(CaptureError) in try Self.checked(bytes, field: field, .assertion) }
        case .bytes(let bytes): return try Self.checked(bytes, field: field, .assertion)
        case .tooLarge: throw .invalid(field, Self.notAnAssertion, .assertion)
        }
    }

    /// - Throws: ``CaptureError`` unless the bytes are CBOR of an assertion's size.
    static func checked(_ assertion: [UInt8], field: String, _ subject: CaptureError.Subject) throws(CaptureError) -> [UInt8] {
        guard assertion.count <= SubmittedAssertion.maximumBytes, (try? CBOR.decode(assertion[...])) != nil else {
            throw .invalid(field, notAnAssertion, subject)
        }
        return assertion
    }

    private static let notAnAssertion = "is not CBOR of an assertion's size"

    func detection() throws(CaptureError) -> DetectionReport? {
        guard let bytes = try bytes(of: .detection, atMost: SizeLimits.metadata, .body) else { return nil }
        do {
            return try DetectionReport(parsing: bytes)
        } catch {
            throw .invalid(error.field, error.problem)
        }
    }
}
