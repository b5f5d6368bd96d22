import Compression
import HTTPTypes
import Hummingbird

/// Compresses what the site sends, where the client takes gzip (RFC 9110 §8.4.1.3, §12.5.3) and it is worth it.
///
/// Pages and files of the site only: never responses that mix secrets with text that an attacker chose (BREACH).
enum ContentCoding {
    /// Shorter content fits a packet as it is.
    static let minimumBytes = 1000
    /// zlib's; pages are compressed for each response, and the next level gains two per cent for a third more time.
    private static let pageLevel: Int32 = 4

    /// Whether gzip has a weight above 0, by its name or by "*".
    static func isGzipTaken(by request: Request) -> Bool {
        let list = WeightedList(request.headers[values: .acceptEncoding])
        return list.weight(of: "gzip", "x-gzip") ?? list.weight(of: "*") ?? 0 > 0
    }

    /// - Returns: `nil` where nothing is gained by compressing.
    static func gzip(_ bytes: [UInt8], level: Int32 = pageLevel) -> [UInt8]? {
        guard bytes.count >= minimumBytes, let compressed = try? Deflate.compress(bytes, wrapping: .gzip, level: level),
            compressed.count < bytes.count * 9 / 10
        else { return nil }
        return compressed
    }

    /// A response with the compressed form, where there is one to be sent.
    static func response(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, plain: [UInt8], compressed: [UInt8]?
    ) -> Response {
        var fields = fields
        if compressed != nil { fields[.contentEncoding] = "gzip" }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: compressed ?? plain)))
    }

    /// The entity tag of the compressed form: another representation than the plain one (RFC 9110 §8.8.3.3).
    static func tag(_ plain: String) -> String { "\(plain.dropLast())-gzip\"" }
}
