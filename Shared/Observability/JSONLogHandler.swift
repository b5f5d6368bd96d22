import Foundation
public import Logging
import Synchronization

/// Writes one JSON object a line to standard error: time, level, service, message, the current trace and capture, and metadata.
public struct JSONLogHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private static let output = Mutex(())

    public init(label: String, level: Logger.Level) {
        self.label = label
        logLevel = level
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var fields: [(String, String)] = [
            ("time", Self.timeText()), ("level", event.level.rawValue), ("service", label), ("message", "\(event.message)"),
        ]
        if let trace = TraceContext.current {
            fields.append(("trace_id", trace.traceID))
            fields.append(("span_id", trace.spanID))
        }
        if let capture = WorkContext.captureID { fields.append(("capture_id", capture)) }
        if let error = event.error { fields.append(("error", "\(error)")) }
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { fields.append((key, "\(value)")) }
        Self.write(fields)
    }

    private static func timeText() -> String {
        Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func write(_ fields: [(String, String)]) {
        var line = "{"
        for (index, field) in fields.enumerated() {
            if index > 0 { line += "," }
            appendQuoted(field.0, to: &line)
            line += ":"
            appendQuoted(field.1, to: &line)
        }
        line += "}\n"
        let bytes = Array(line.utf8)
        output.withLock { _ in
            var offset = 0
            while offset < bytes.count {
                let written = bytes[offset...].withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
                guard written > 0 else { return }
                offset += written
            }
        }
    }

    /// JSON string escaping (RFC 8259 §7).
    private static func appendQuoted(_ text: String, to line: inout String) {
        line += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case "\u{0}"..."\u{1f}":
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        line += "\""
    }
}
