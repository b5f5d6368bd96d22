public import CaptureProtocol

/// The device's report of its own detection (SPEC §2): an untrusted JSON object, stored and shown as reported.
public struct DetectionReport: Sendable, Equatable, Encodable {
    private let value: StrictJSON

    /// Reads one JSON object as a device sends it. Rejects values that PostgreSQL's `jsonb` cannot store, NUL in a text, and numbers that
    /// it would write with many more digits than were sent: those but zero whose magnitude is not from 1e-20 to 1e20.
    /// - Throws: ``MetadataError`` for anything else, including more than 64 KiB, duplicate names and nesting deeper than 32.
    public init(parsing bytes: [UInt8]) throws(MetadataError) {
        guard bytes.count <= SizeLimits.metadata else {
            throw MetadataError(part: .detection, "is larger than \(SizeLimits.metadata >> 10) KiB")
        }
        try self.init(stored: bytes)
        guard value.isStorable else { throw MetadataError(part: .detection, "has a text or a number that cannot be kept") }
    }

    /// Reads a stored report. `jsonb` is read as PostgreSQL writes it, which is longer than what was sent.
    /// - Throws: `MetadataError` for anything but an object of JSON, nested at most 32 deep.
    public init(stored bytes: [UInt8]) throws(MetadataError) {
        do {
            value = try StrictJSON(bytes)
        } catch {
            throw MetadataError(part: .detection, "is not JSON of at most 32 levels")
        }
        guard case .object = value else { throw MetadataError(part: .detection, "is not a JSON object") }
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
        case .number(let number): number == 0 || (1e-20...1e20).contains(abs(number))
        case .string(let text): !text.unicodeScalars.contains("\0")
        case .array(let elements): elements.allSatisfy(\.isStorable)
        case .object(let members): members.allSatisfy { !$0.key.unicodeScalars.contains("\0") && $0.value.isStorable }
        }
    }
}
