import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Metrics

/// Responses about uploads that may be resumed, in the words of the client's interop version.
struct UploadResponses: Sendable {
    /// Without a trailing slash.
    let publicURL: String

    /// The upload's address.
    func address(_ token: UploadToken) -> String { "\(publicURL)\(APIPath.uploads)/\(token.text)" }

    /// The interim response that tells the client where to go on (draft §6.2).
    func resumptionSupported(_ upload: Upload, at address: String, _ version: InteropVersion) -> HTTPResponse {
        HTTPResponse(
            status: .init(code: 104, reasonPhrase: "Upload Resumption Supported"),
            headerFields: [
                .location: address, .uploadDraftInteropVersion: String(version.rawValue), .uploadLimit: Self.limit(upload, version),
            ])
    }

    /// 201 to a request that created an upload, or found one, and did not complete it.
    func created(_ upload: Upload, at address: String, _ version: InteropVersion) -> Response {
        var headers = state(upload, version)
        headers[.location] = address
        return Response(status: .created, headers: headers)
    }

    /// The version, how much is stored, whether that is all, and for how long it is kept.
    func state(_ upload: Upload, _ version: InteropVersion) -> HTTPFields {
        [
            .uploadDraftInteropVersion: String(version.rawValue), version.completenessName: version.completeness(upload.state == .done),
            .uploadOffset: String(upload.offset), .uploadLimit: Self.limit(upload, version), .cacheControl: "no-store",
        ]
    }

    /// The answer of a plain upload to a request that completed one, or found it complete.
    /// - Parameter address: the upload's, if the request created it.
    func accepted(
        _ answer: UploadAnswer, _ allowance: RateAllowance? = nil, at address: String?, _ version: InteropVersion, _ context: GatewayContext
    ) throws -> Response {
        let path = APIPath.capture(answer.capture.captureID)
        var headers = HTTPFields(allowance)
        headers[.uploadDraftInteropVersion] = String(version.rawValue)
        headers[version.completenessName] = version.completeness(true)
        headers[.location] = address ?? path
        headers[.contentLocation] = path
        return try Envelope.success(answer.capture, status: answer.isNew ? .created : .ok, headers: headers, context: context)
    }

    static func limit(_ upload: Upload, _ version: InteropVersion) -> String {
        version.limit(maximumBytes: upload.type.bodyLimit, seconds: upload.seconds(at: Date()))
    }

    /// The version that every answer to a request names, whatever it is: of an upload, or of an upload's creation that names one.
    /// - Parameter route: the request's, with its parameters' names.
    /// - Returns: `nil` for other requests.
    static func version(of request: Request, at route: String?) -> InteropVersion? {
        let field = request.headers[.uploadDraftInteropVersion]
        let known = InteropVersion(field: field)
        switch route {
        case "\(APIPath.uploads)/{token}": return known ?? InteropVersion.latest
        case APIPath.captures, APIPath.videos: return field == nil ? nil : known
        default: return nil
        }
    }

    /// Refusals name the version too, and are counted.
    static func naming<Answer>(_ version: InteropVersion, _ respond: () async throws -> Answer) async throws -> Answer {
        do {
            return try await respond()
        } catch {
            guard var refusal = APIError(refusal: error) else { throw error }
            refusal.headers[.uploadDraftInteropVersion] = String(version.rawValue)
            Counter(label: "rial_uploads_refused_total", dimensions: [("reason", refusal.code.rawValue.lowercased())]).increment()
            throw refusal
        }
    }
}
