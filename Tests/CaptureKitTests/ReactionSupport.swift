import CaptureKit
import CaptureProtocol
import Foundation

extension HTTPResponse {
    /// An error in the envelope of the API.
    static func error(_ status: Int, _ code: String, headers: [String: String] = [:]) -> HTTPResponse {
        let details = "[{\"field\":\"photo\",\"problem\":\"is missing\"}]"
        let body = "{\"error\": {\"code\": \"\(code)\", \"message\": \"No.\", \"details\": \(details)}, \"meta\": {\"request_id\": \"r\"}}"
        return HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    static func data(_ status: Int, _ data: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [:], body: Array("{\"data\": \(data), \"meta\": {}}".utf8))
    }
}

/// What docs/openapi.yaml says of the errors of a route.
enum DocumentedErrors {
    struct Answer: Hashable, Sendable {
        let status: Int
        let code: String
    }

    static func of(post path: String) throws -> Set<Answer> {
        let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.deletingLastPathComponent().appendingPathComponent("docs/openapi.yaml")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let route = block("  \(path):", in: lines)
        var answers: Set<Answer> = []
        for line in block("    post:", in: route) {
            guard let match = line.wholeMatch(of: /\s+'(\d{3})': \{\$ref: '#\/components\/responses\/(\w+)'\}/), let status = Int(match.1)
            else { continue }
            let response = block("    \(match.2):", in: lines)
            guard let codes = response.compactMap({ $0.firstMatch(of: /\{code: \{enum: \[([A-Z_, ]+)\]\}\}/)?.1 }).first else { continue }
            for code in codes.split(separator: ", ") { answers.insert(Answer(status: status, code: String(code))) }
        }
        return answers
    }

    /// The lines below `heading` that are indented further.
    private static func block(_ heading: String, in lines: [String]) -> [String] {
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let indentation = heading.prefix { $0 == " " }.count
        return Array(lines[(start + 1)...].prefix { $0.isEmpty || $0.prefix { $0 == " " }.count > indentation })
    }
}
