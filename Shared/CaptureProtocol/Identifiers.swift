public import Foundation

/// A UUID with a type for what it identifies; always lower case outside the process.
public protocol UUIDIdentifier: Hashable, Codable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    var uuid: UUID { get }
    init(_ uuid: UUID)
}

extension UUIDIdentifier {
    /// A new random identifier (RFC 9562 version 4).
    public init() { self.init(UUID()) }

    /// Reads the 36-character form in either case; `nil` for anything else.
    public init?(_ description: String) {
        guard description.utf8.count == 36, let uuid = UUID(uuidString: description) else { return nil }
        self.init(uuid)
    }

    public var description: String { uuid.uuidString.lowercased() }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a UUID"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Identifies a capture, from the moment its upload is accepted.
public struct CaptureID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// Identifies a registered device, pseudonymously.
public struct DeviceID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// Identifies one submitted registration, even if it creates no device.
public struct RegistrationID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// Identifies one published event; a consumer's inbox recognises repeated deliveries by it.
public struct EventID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}
