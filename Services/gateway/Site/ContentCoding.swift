import Compression
import HTTPTypes
import Hummingbird

/// Compresses the site's responses with gzip if the client accepts it (RFC 9110 §8.4.1.3, §12.5.3) and it saves enough.
///
/// For the site's pages and assets only: never for responses that mix secrets with text that an attacker chose (BREACH).
enum ContentCoding {
    /// Shorter content fits a packet uncompressed.
    static let minimumBytes = 1000
    /// The zlib level. Pages are compressed for each response, and the next level saves two per cent for a third more time.
    private static let pageLevel: Int32 = 4

    /// Whether gzip has a weight above 0, by name or by `*`.
    static func isGzipTaken(by request: Request) -> Bool {
        let list = WeightedList(request.headers[values: .acceptEncoding])
        return list.weight(of: "gzip", "x-gzip") ?? list.weight(of: "*") ?? 0 > 0
    }

    /// - Returns: `nil` for short content, or if the result is not at least 10% smaller.
    static func gzip(_ bytes: [UInt8], level: Int32 = pageLevel) -> [UInt8]? {
        guard bytes.count >= minimumBytes, let compressed = try? Deflate.compress(bytes, wrapping: .gzip, level: level),
            compressed.count < bytes.count * 9 / 10
        else { return nil }
        return compressed
    }

    /// A response with the compressed form if there is one, else with the plain form.
    static func response(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, plain: [UInt8], compressed: [UInt8]?
    ) -> Response {
        var fields = fields
        if compressed != nil { fields[.contentEncoding] = "gzip" }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: compressed ?? plain)))
    }

    /// The entity tag of the compressed form, which is a different representation (RFC 9110 §8.8.3.3).
    static func tag(_ plain: String) -> String { "\(plain.dropLast())-gzip\"" }
}
