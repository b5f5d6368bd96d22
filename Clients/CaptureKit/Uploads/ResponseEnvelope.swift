import CaptureProtocol
import Foundation

/// The JSON object around every answer of the API: `{"data": …, "meta": …}` or `{"error": …, "meta": …}` (SPEC §2).
struct ResponseEnvelope {
    private let members: [String: StrictJSON]

    /// - Returns: `nil` if the body is not a JSON object, read strictly.
    init?(_ response: HTTPResponse) {
        guard case .object(let members)? = try? StrictJSON(response.body) else { return nil }
        self.members = members
    }

    /// The members of `error`; `nil` if there is none.
    var error: [String: StrictJSON]? {
        guard case .object(let error)? = members["error"] else { return nil }
        return error
    }

    /// `data` as the type that the route answers with; `nil` if it is another.
    func data<Content: Decodable>(as type: Content.Type) -> Content? {
        guard let data = members["data"], let bytes = try? WireJSON.encode(data) else { return nil }
        return try? WireJSON.decode(type, from: bytes)
    }

    /// When the server answered, by its clock.
    var serverTime: Date? {
        guard case .object(let meta)? = members["meta"], case .string(let text)? = meta["timestamp"] else { return nil }
        return Timestamp.parse(text)
    }
}
