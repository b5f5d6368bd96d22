/// Why a file cannot be decoded; for the log.
struct DecodingFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// - Throws: the failure that libavcodec's return code means.
    @discardableResult
    static func check(_ code: Int32, _ what: String) throws -> Int32 {
        guard code >= 0 else { throw DecodingFailure("\(what): \(code)") }
        return code
    }
}
