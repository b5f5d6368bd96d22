public import CaptureProtocol

/// The device's report of its own detection (SPEC §2): an untrusted JSON object, stored and shown as reported.
public struct DetectionReport: Sendable, Equatable, Encodable {
    private let value: StrictJSON

    /// Reads one JSON object. Rejects values that PostgreSQL's `jsonb` cannot store: NUL in a text, or a number out of a double's range.
    /// - Throws: ``MetadataError`` for anything else, including duplicate names and nesting deeper than 32.
    public init(parsing bytes: [UInt8]) throws(MetadataError) {
        guard bytes.count <= SizeLimits.metadata else {
            throw MetadataError("detection", "is larger than \(SizeLimits.metadata >> 10) KiB")
        }
        do {
            value = try StrictJSON(bytes)
        } catch {
            throw MetadataError("detection", "is not JSON of at most 32 levels")
        }
        guard case .object = value, value.isStorable else { throw MetadataError("detection", "is not a JSON object that can be kept") }
    }

    private init(_ value: StrictJSON) { self.value = value }

    /// The public part: members with known names and values (``PublicDetection``). Only the owner sees the rest.
    /// - Returns: `nil` if no member is public.
    public func publicForm() -> DetectionReport? { PublicDetection.form(of: value).map(DetectionReport.init) }

    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension StrictJSON {
    fileprivate var isStorable: Bool {
        switch self {
        case .null, .bool: true
        case .number(let number): number.isFinite
        case .string(let text): !text.unicodeScalars.contains("\0")
        case .array(let elements): elements.allSatisfy(\.isStorable)
        case .object(let members): members.allSatisfy { !$0.key.unicodeScalars.contains("\0") && $0.value.isStorable }
        }
    }
}
