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
        guard let data = members["data"], let bytes = try? JSONEncoder().encode(data) else { return nil }
        return try? JSONDecoder.api.decode(type, from: bytes)
    }
}

extension JSONDecoder {
    /// Reads the API's JSON: times in RFC 3339.
    static var api: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let date = Timestamp.parse(text) else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not RFC 3339"))
            }
            return date
        }
        return decoder
    }
}
