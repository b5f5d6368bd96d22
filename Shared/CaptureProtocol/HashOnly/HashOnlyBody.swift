/// The body of a capture in privacy mode: `{"mode", "payload", "assertion"}` and nothing else (SPEC §9).
public struct HashOnlyBody: Sendable, Equatable {
    /// At most ``SizeLimits/hashOnlyPayload`` bytes.
    public let payload: [UInt8]
    /// App Attest assertion, in CBOR if it is one.
    public let assertion: [UInt8]

    public init(payload: [UInt8], assertion: [UInt8]) {
        self.payload = payload
        self.assertion = assertion
    }

    /// Why a body is refused, in the order of the checks.
    public enum Failure: Error, Sendable, Equatable {
        case malformed(MetadataError)
        case payloadTooLarge
        case assertionNotBase64
    }

    private enum Keys: String, CodingKey { case mode, payload, assertion }

    /// The name of ``assertion`` in the body.
    public static let assertionName = Keys.assertion.rawValue

    /// Reads the body; what the payload says is not looked at.
    /// - Throws: ``Failure``: the first of the checks that fails.
    public static func parse(_ bytes: [UInt8]) throws(Failure) -> HashOnlyBody {
        let payload: [UInt8]
        let assertion: String
        do throws(MetadataError) {
            let members = try MetadataReader(bytes, document: "body")
            try members.close([Keys.mode, .payload, .assertion])
            guard try members.text(Keys.mode.rawValue) == CaptureMode.hashOnly.rawValue else {
                throw members.error(Keys.mode.rawValue, "must be \"\(CaptureMode.hashOnly.rawValue)\"")
            }
            guard let decoded = Base64.decode(try members.text(Keys.payload.rawValue)), !decoded.isEmpty else {
                throw members.error(Keys.payload.rawValue, "is not base64")
            }
            payload = decoded
            assertion = try members.text(Keys.assertion.rawValue)
        } catch {
            throw .malformed(error)
        }
        guard payload.count <= SizeLimits.hashOnlyPayload else { throw .payloadTooLarge }
        guard let assertion = Base64.decode(assertion) else { throw .assertionNotBase64 }
        return HashOnlyBody(payload: payload, assertion: assertion)
    }

    /// The bytes of the request's body.
    public func bytes() -> [UInt8] {
        // Base64 needs no escaping in JSON.
        Array(
            #"{"mode":"\#(CaptureMode.hashOnly.rawValue)","payload":"\#(Base64.encode(payload))","assertion":"\#(Base64.encode(assertion))"}"#
                .utf8)
    }
}
