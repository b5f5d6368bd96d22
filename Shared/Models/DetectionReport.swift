public import CaptureProtocol

/// What the device reported of its own detection (SPEC §2): a JSON object, kept and shown as reported, never believed.
public struct DetectionReport: Sendable, Equatable, Encodable {
    private let value: StrictJSON

    /// Reads one JSON object. What PostgreSQL's `jsonb` could not hold, NUL in a text or a number beyond a double, is refused here.
    /// - Throws: ``MetadataError`` for anything else, names that occur twice and nesting deeper than 32 included.
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

    /// What anyone may see: the members that ``PublicDetection`` knows, with values that it knows. The rest is the owner's.
    /// - Returns: `nil` if nothing is left.
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
