import Multipart
import Testing

@Suite("Multipart parser")
struct MultipartParserTests {
    /// A part's name and content, assembled from its events.
    struct Part: Equatable {
        let headers: PartHeaders
        var bytes: [UInt8] = []
        var isEnded = false
    }

    /// - Parameter takesContent: takes leading content as it is, instead of feeding it.
    static func parse(
        _ body: [UInt8], boundary: String = "XyZ", chunk: Int? = nil, takesContent: Bool = false, limits: MultipartLimits = .init()
    ) throws -> [Part] {
        var parser = MultipartParser(
            boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=\(boundary)"), limits: limits)
        var parts: [Part] = []
        for start in stride(from: 0, to: body.count, by: chunk ?? max(body.count, 1)) {
            var piece = body[start..<min(start + (chunk ?? body.count), body.count)]
            let content = takesContent ? piece.withUnsafeBytes { parser.leadingContent(in: $0) } : 0
            if content > 0 { parts[parts.count - 1].bytes += piece.prefix(content) }
            piece = piece.dropFirst(content)
            try parser.feed(Array(piece)) { event in
                switch event {
                case .partBegan(let headers): parts.append(Part(headers: headers))
                case .partData(let data): parts[parts.count - 1].bytes += data
                case .partEnded: parts[parts.count - 1].isEnded = true
                }
            }
        }
        try parser.finish()
        return parts
    }

    static let sample = Array(
        """
        preamble\r\n--XyZ\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--Xy\r\n-XyZ\r\r\n--XyZ  \r\n\
        content-type: image/jpeg; q=1\r\nCONTENT-DISPOSITION: form-data; filename="p\\"h.jpg"; name=b\r\n\r\n\r\n--XyZ\r\n\
        Content-Disposition: form-data; name="c"\r\n\r\n\r\n\r\n--XyZ--\r\nepilogue
        """.utf8)

    @Test("finds parts, headers and bytes, near-delimiters included")
    func sample() throws {
        let parts = try Self.parse(Self.sample)
        #expect(parts.map(\.headers.name) == ["a", "b", "c"])
        #expect(parts[0].bytes == Array("one\r\n--Xy\r\n-XyZ\r".utf8))
        #expect(parts[1].headers.filename == "p\"h.jpg" && parts[1].headers.contentType == "image/jpeg" && parts[1].bytes.isEmpty)
        #expect(parts[2].bytes == [13, 10])
        #expect(parts.allSatisfy { $0.isEnded })
    }

    @Test("gives the same parts however the body is cut", arguments: 1...90)
    func chunks(size: Int) throws {
        #expect(try Self.parse(Self.sample, chunk: size) == Self.parse(Self.sample))
        #expect(try Self.parse(Self.sample, chunk: size, takesContent: true) == Self.parse(Self.sample))
    }

    @Test("leading content ends where a delimiter may begin, and there is none outside of a part's body")
    func leadingContent() throws {
        var parser = MultipartParser(boundary: try MultipartBoundary(contentType: "multipart/form-data; boundary=XyZ"))
        #expect(Self.content("x", parser) == 0)
        try parser.feed(Array("--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8)) { _ in }
        #expect(Self.content("", parser) == 0)
        #expect(Self.content("content", parser) == 7)
        #expect(Self.content("content\r\n--Xy", parser) == 7)
        #expect(Self.content("\r\n\r\n--XyZ--", parser) == 2)
        // Whether this is content, the next bytes say.
        try parser.feed([13]) { _ in }
        #expect(Self.content("content", parser) == 0)
        try parser.feed([10]) { _ in }
        try parser.feed(Array("--XyZ--".utf8)) { _ in }
        #expect(Self.content("x", parser) == 0)
    }

    private static func content(_ text: String, _ parser: MultipartParser) -> Int {
        Array(text.utf8).withUnsafeBytes { parser.leadingContent(in: $0) }
    }

    @Test("reads long headers in pieces of any size, up to their limit", arguments: [1, 2, 3, 5, 4096])
    func longHeaders(size: Int) throws {
        let disposition = "Content-Disposition: form-data; name=a\r\n"
        let room = MultipartLimits().headerBytes - disposition.utf8.count - "X: \r\n\r\n".utf8.count
        let whole = Self.body(disposition + "X: " + String(repeating: "y", count: room))
        let two = Array(whole.dropLast("--".utf8.count)) + Self.body("Content-Disposition: form-data; name=b").dropFirst("--XyZ".utf8.count)
        let parts = try Self.parse(two, chunk: size)
        #expect(parts.map(\.headers.name) == ["a", "b"])
        #expect(parts.map(\.bytes) == [[0x78], [0x78]])
        let long = Self.body(disposition + "X: " + String(repeating: "y", count: room + 1))
        #expect(throws: MultipartError.headerTooLarge) { try Self.parse(long, chunk: size) }
    }

    @Test("refuses every prefix as truncated or malformed")
    func prefixes() throws {
        let whole = Self.sample.count - Array("\r\nepilogue".utf8).count
        for count in 0..<whole { #expect(throws: MultipartError.self) { try Self.parse(Array(Self.sample.prefix(count))) } }
    }

    private static func body(_ header: String, _ content: String = "x") -> [UInt8] {
        Array("--XyZ\r\n\(header)\r\n\r\n\(content)\r\n--XyZ--".utf8)
    }

    @Test(
        "refuses what is malformed, with its reason",
        arguments: [
            ("Content-Type: text/plain", MultipartError.unnamedPart), ("Content-Disposition: attachment; name=a", .unnamedPart),
            ("Content-Disposition: form-data", .unnamedPart), ("Content-Disposition: form-data; name=\"\"", .unnamedPart),
            ("Content-Disposition: form-data; name=a; name=b", .unnamedPart), ("no colon", .malformed),
            ("Content-Disposition: form-data; né=a; name=a", .unnamedPart),
            ("Content-Disposition: form-data; name=" + String(repeating: "a", count: 101), .unnamedPart),
            ("Content-Disposition: form-data; name=a\nX: y", .malformed), ("Content-Disposition: form-data; name=a\u{0}", .malformed),
            ("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b", .malformed),
            ("X: " + String(repeating: "y", count: 9000), .headerTooLarge),
        ])
    func malformed(header: String, error: MultipartError) {
        #expect(throws: error) { try Self.parse(Self.body(header)) }
    }

    @Test("a name has at most 100 bytes")
    func longName() throws {
        let name = String(repeating: "é", count: 50)
        #expect(try Self.parse(Self.body("Content-Disposition: form-data; name=\(name)")).map(\.headers.name) == [name])
    }

    @Test("text of nothing but combining marks is read as other text is, and is no name", .timeLimit(.minutes(1)))
    func marks() throws {
        let marks = "a" + String(repeating: "\u{300}\u{323}", count: 1900)
        let disposition = "Content-Disposition: form-data; name=a"
        let read = [
            "\(marks): x\r\n\(disposition)", "Content-Type: \(marks)\r\n\(disposition)", "\(disposition); filename=\"\(marks)\"",
            "\(disposition); \(marks)=x",
        ]
        for head in read { #expect(try Self.parse(Self.body(head)).map(\.headers.name) == ["a"]) }
        for head in ["Content-Disposition: \(marks); name=a", "Content-Disposition: form-data; name=\"\(marks)\""] {
            #expect(throws: MultipartError.unnamedPart) { try Self.parse(Self.body(head)) }
        }
        #expect(throws: MultipartError.notMultipart) { try MultipartBoundary(contentType: "multipart/form-data\(marks); boundary=a") }
    }

    @Test("a quotation mark is one, whatever combines with it")
    func quotationMark() throws {
        let parts = try Self.parse(Self.body("Content-Disposition: form-data; name=\"\u{301}a\""))
        #expect(parts.map(\.headers.name) == ["\u{301}a"])
    }

    @Test("removes what makes a file name a path")
    func fileName() throws {
        let parts = try Self.parse(Self.body("Content-Disposition: form-data; name=a; filename=\"../e\u{1}tc/pass\u{7f}wd\""))
        #expect(parts.first?.headers.filename == "..etcpasswd")
    }

    @Test("enforces its limits of parts, preamble and epilogue")
    func limits() throws {
        let part = "--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n"
        #expect(try Self.parse(Array((String(repeating: part, count: 64) + "--XyZ--").utf8)).count == 64)
        #expect(throws: MultipartError.tooManyParts) { try Self.parse(Array((String(repeating: part, count: 65) + "--XyZ--").utf8)) }
        let long = String(repeating: "x", count: 2000)
        #expect(throws: MultipartError.strayBytes) { try Self.parse(Array(long.utf8) + Self.body("X: y")) }
        #expect(throws: MultipartError.strayBytes) { try Self.parse(Array((part + "--XyZ--" + long).utf8)) }
    }

    @Test(
        "reads boundaries as RFC 2046 allows them",
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data;charset=utf-8; boundary=\"a b:c\"", "a b:c"),
        ])
    func boundary(header: String, expected: String) throws {
        #expect(try MultipartBoundary(contentType: header).bytes == Array(expected.utf8))
    }

    @Test(
        "refuses other boundaries",
        arguments: [
            ("application/json", MultipartError.notMultipart), ("", .notMultipart), ("multipart/form-data", .badBoundary),
            ("multipart/form-data; boundary=", .badBoundary), ("multipart/form-data; boundary=a; boundary=b", .badBoundary),
            ("multipart/form-data; boundary=\"a\u{e9}\"", .badBoundary), ("multipart/form-data; boundary=\"a \"", .badBoundary),
            ("multipart/form-data; boundary=" + String(repeating: "a", count: 71), .badBoundary),
        ])
    func badBoundary(header: String, error: MultipartError) {
        #expect(throws: error) { try MultipartBoundary(contentType: header) }
    }
}
