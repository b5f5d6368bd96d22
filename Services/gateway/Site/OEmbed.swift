import Models
import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Site

/// `GET /oembed?url=…` (oEmbed 1.0): a record as a picture that others can show, badge included.
enum OEmbed {
    /// The share picture's size.
    static let width = 1200
    static let height = 630

    /// What a request is about.
    enum Subject: Equatable {
        case id(CaptureID)
        case short(String)
        /// No address was given.
        case missing
        /// No record has the address.
        case unknown
    }

    struct Body: Encodable, Equatable {
        var version = "1.0"
        /// `photo`, or `link` where there is no picture.
        var type = "link"
        let title: String
        var providerName = "rial."
        let providerURL: String
        var cacheAge = 3600
        var url: String?
        var width: Int?
        var height: Int?

        enum CodingKeys: String, CodingKey {
            case version, type, title
            case providerName = "provider_name"
            case providerURL = "provider_url"
            case cacheAge = "cache_age"
            case url, width, height
        }
    }

    /// Whether the asked form is one we have; JSON where none is named.
    static func isSupported(_ format: String?) -> Bool { format == nil || format == "json" }

    static func subject(_ address: String?, publicURL: String) -> Subject {
        guard let address, !address.isEmpty else { return .missing }
        guard address.utf8.count <= 2000, address.hasPrefix(publicURL + "/") else { return .unknown }
        let path = address.dropFirst(publicURL.count).prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.count == 3 else { return .unknown }
        if segments[1] == "verify", let id = CaptureID(segments[2]) { return .id(id) }
        if segments[1] == "v", ShortID.isValid(segments[2]) { return .short(segments[2]) }
        return .unknown
    }

    /// - Parameters:
    ///   - maximumWidth: as the consumer asks; the picture is to be shown within it, its proportions kept.
    static func body(
        _ record: PublicRecord, title: String, publicURL: String, maximumWidth: Int?, maximumHeight: Int?
    ) -> Body {
        var body = Body(title: title, providerURL: publicURL + "/")
        if record.status != .complete { body.cacheAge = 60 }
        guard let card = record.media[.shareCard] else { return body }
        let most = (width: max(maximumWidth ?? width, 1), height: max(maximumHeight ?? height, 1))
        let scale = min(1, Double(most.width) / Double(width), Double(most.height) / Double(height))
        body.type = "photo"
        body.url = publicURL + card.link
        body.width = max(1, Int(Double(width) * scale))
        body.height = max(1, Int(Double(height) * scale))
        return body
    }

    /// 501 for XML (oEmbed §2.3.2).
    static func unsupportedFormat(_ context: GatewayContext) -> Response {
        let message = "Only format=json is supported."
        let body = Envelope.failureBody(code: "NOT_IMPLEMENTED", message: message, requestID: context.requestID) ?? []
        return Response(
            status: .notImplemented, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
