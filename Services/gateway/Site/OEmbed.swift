import CaptureProtocol
import Foundation
import Models
import Site

/// `GET /oembed?url=…` (oEmbed 1.0): a record as a picture for embedding, badge included.
enum OEmbed {
    /// The record that a request asks for.
    enum Subject: Equatable {
        case id(CaptureID)
        case short(String)
        /// The request has no URL.
        case missing
        /// The URL is not a record's.
        case unknown
    }

    struct Body: Encodable, Equatable {
        var version = "1.0"
        /// `photo`, or `link` without a picture.
        var type = "link"
        let title: String
        var providerName = "rial."
        let providerURL: String
        /// A withdrawn record is to be forgotten soon.
        var cacheAge = 60
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

    /// Whether the requested format is supported; JSON is the default.
    static func isSupported(_ format: String?) -> Bool { format == nil || format == "json" }

    static func subject(_ address: String?, publicURL: String) -> Subject {
        guard let address, !address.isEmpty else { return .missing }
        guard address.utf8.count <= 2000, address.hasPrefix(publicURL + "/") else { return .unknown }
        let path = address.dropFirst(publicURL.count).prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard segments.count == 3 else { return .unknown }
        if "/" + segments[1] == PagePath.captures, let id = CaptureID(segments[2]) { return .id(id) }
        if segments[1] == "v", ShortID.isValid(segments[2]) { return .short(segments[2]) }
        return .unknown
    }

    /// - Parameters:
    ///   - maximumWidth: as requested by the consumer; the picture is scaled to fit, keeping its aspect ratio.
    static func body(
        _ record: PublicRecord, title: String, publicURL: String, maximumWidth: Int?, maximumHeight: Int?
    ) -> Body {
        var body = Body(title: title, providerURL: publicURL + "/")
        guard !record.isRevoked, let card = record.media[.shareCard] else { return body }
        let (width, height) = (ShareCardSize.width, ShareCardSize.height)
        let most = (width: max(maximumWidth ?? width, 1), height: max(maximumHeight ?? height, 1))
        let scale = min(1, Double(most.width) / Double(width), Double(most.height) / Double(height))
        body.type = "photo"
        body.url = publicURL + card.link
        body.width = max(1, Int(Double(width) * scale))
        body.height = max(1, Int(Double(height) * scale))
        return body
    }

    /// For XML (oEmbed §2.3.2).
    static let unsupportedFormat = APIError(.notImplemented, "Only format=json is supported.")
}
