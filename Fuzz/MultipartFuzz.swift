import Multipart

/// libFuzzer's entry: the first byte is the chunk size, the rest a body with the boundary "b". Parsing it whole and in chunks must give the
/// same result.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first, let boundary = try? MultipartBoundary(contentType: "multipart/form-data; boundary=b") else { return 0 }
    let body = Array(input.dropFirst())
    precondition(parse(body, boundary, chunk: max(body.count, 1)) == parse(body, boundary, chunk: Int(first) + 1), "chunks matter")
    return 0
}

/// Names and bytes of the parts; `nil` for a refused body.
private func parse(_ body: [UInt8], _ boundary: MultipartBoundary, chunk: Int) -> [[UInt8]]? {
    var parser = MultipartParser(boundary: boundary)
    var parts: [[UInt8]] = []
    do {
        for start in stride(from: 0, to: body.count, by: chunk) {
            try parser.feed(Array(body[start..<min(start + chunk, body.count)])) { event in
                switch event {
                case .partBegan(let headers): parts.append(Array(headers.name.utf8) + [0])
                case .partData(let data): parts[parts.count - 1] += data
                case .partEnded: parts.append([])
                }
            }
        }
        try parser.finish()
        return parts
    } catch {
        return nil
    }
}
