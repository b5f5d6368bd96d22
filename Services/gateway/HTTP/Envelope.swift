import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models

/// Builds the response bodies of the API: `{data, meta}`, `{error, meta}`, or problem details (RFC 9457).
enum Envelope {
    private struct Meta: Encodable {
        let requestID: String
        let timestamp = Date()
        enum CodingKeys: String, CodingKey {
            case requestID = "request_id"
            case timestamp
        }
    }
    private struct Success<Body: Encodable>: Encodable {
        let data: Body
        let meta: Meta
    }
    private struct Failure: Encodable {
        struct Body: Encodable {
            let code: String
            let message: String
            let details: Details?
            let withdrawnOn: String?
            enum CodingKeys: String, CodingKey {
                case code, message, details
                case withdrawnOn = "withdrawn_on"
            }
        }
        let error: Body
        let meta: Meta
    }
    /// What is wrong with which field, or one word.
    enum Details: Encodable {
        case fields([APIError.Detail])
        case reason(String)

        private enum CodingKeys: String, CodingKey { case reason }

        init?(_ error: APIError) {
            if let reason = error.reason {
                self = .reason(reason)
            } else if !error.details.isEmpty {
                self = .fields(error.details)
            } else {
                return nil
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .fields(let details): try details.encode(to: encoder)
            case .reason(let word):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(word, forKey: .reason)
            }
        }
    }
    private struct Problem: Encodable {
        let type: String
        let title: String
        let status: Int
        let detail: String
        let code: String
        let instance: String
        let details: Details?
        let expectedOffset: Int64?
        let providedOffset: Int64?
        let withdrawnOn: String?

        enum CodingKeys: String, CodingKey {
            case type, title, status, detail, code, instance, details
            case expectedOffset = "expected-offset"
            case providedOffset = "provided-offset"
            case withdrawnOn = "withdrawn_on"
        }

        init(_ error: APIError, instance: String, details: Details?) {
            type = error.problem?.type ?? "about:blank"
            title = error.problem?.title ?? error.code.status.reasonPhrase
            status = error.code.status.code
            detail = error.message
            code = error.code.rawValue
            self.instance = instance
            self.details = details
            expectedOffset = error.problem?.expectedOffset
            providedOffset = error.problem?.providedOffset
            withdrawnOn = error.withdrawnOn
        }
    }

    static func success(
        _ data: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], context: GatewayContext
    ) throws -> Response {
        let body = try WireJSON.encode(Success(data: data, meta: Meta(requestID: context.requestID)))
        return json(body, type: "application/json", status: status, headers: headers)
    }

    static func failure(_ error: APIError, request: Request, context: GatewayContext) -> Response {
        let details = Details(error)
        var headers = error.headers
        headers[.cacheControl] = headers[.cacheControl] ?? "no-store"
        let wantsProblem = WeightedList(request.headers[values: .accept]).weight(of: "application/problem+json") ?? 0 > 0
        let body: [UInt8]?
        if wantsProblem {
            body = try? WireJSON.encode(Problem(error, instance: "urn:uuid:\(context.requestID)", details: details))
        } else {
            body = failureBody(
                code: error.code.rawValue, message: error.message, details: details, withdrawnOn: error.withdrawnOn,
                requestID: context.requestID)
        }
        return json(
            body ?? [], type: wantsProblem ? "application/problem+json" : "application/json", status: error.code.status, headers: headers)
    }

    /// `{error, meta}` as JSON.
    /// - Returns: `nil` if it cannot be encoded.
    static func failureBody(
        code: String, message: String, details: Details? = nil, withdrawnOn: String? = nil, requestID: String
    ) -> [UInt8]? {
        try? WireJSON.encode(
            Failure(
                error: .init(code: code, message: message, details: details, withdrawnOn: withdrawnOn), meta: Meta(requestID: requestID)))
    }

    private static func json(_ body: [UInt8], type: String, status: HTTPResponse.Status, headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
