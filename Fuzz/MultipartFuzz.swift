import Multipart

/// libFuzzer's entry: the first byte is the chunk size, the rest a body with the boundary "b". Parsing it whole and in chunks must give the
/// same result, also if leading content is not fed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first, let boundary = try? MultipartBoundary(contentType: "multipart/form-data; boundary=b") else { return 0 }
    let body = Array(input.dropFirst())
    let whole = parse(body, boundary, chunk: max(body.count, 1))
    precondition(whole == parse(body, boundary, chunk: Int(first) + 1), "chunks matter")
    precondition(whole == parse(body, boundary, chunk: Int(first) + 1, takesContent: true), "content is not content")
    return 0
}

/// Names and bytes of the parts; `nil` for a refused body.
private func parse(_ body: [UInt8], _ boundary: MultipartBoundary, chunk: Int, takesContent: Bool = false) -> [[UInt8]]? {
    var parser = MultipartParser(boundary: boundary)
    var parts: [[UInt8]] = []
    do {
        for start in stride(from: 0, to: body.count, by: chunk) {
            var piece = body[start..<min(start + chunk, body.count)]
            let content = takesContent ? piece.withUnsafeBytes { parser.leadingContent(in: $0) } : 0
            if content > 0 { parts[parts.count - 1] += piece.prefix(content) }
            piece = piece.dropFirst(content)
            try parser.feed(Array(piece)) { event in
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
