import Foundation

/// What spans come from (OpenTelemetry's resource).
public struct SpanOrigin: Sendable {
    let attributes: [(name: String, value: Span.Value)]

    /// - Parameters:
    ///   - instance: an id of this process.
    ///   - version: of the program.
    public init(service: String, instance: String, version: String) {
        attributes = [
            ("service.name", .text(service)), ("service.namespace", .text("rial")), ("service.instance.id", .text(instance)),
            ("service.version", .text(version)),
        ]
    }
}

/// Spans as an OTLP request in JSON (opentelemetry-proto, `ExportTraceServiceRequest`): ids are hex digits, 64-bit numbers text.
public struct SpanDocument: Encodable {
    private let resourceSpans: [OfResource]

    public init(_ spans: [Span], from origin: SpanOrigin) {
        let scope = OfScope(scope: OfScope.Scope(name: "rial"), spans: spans.map(Entry.init))
        resourceSpans = [OfResource(resource: OfResource.Resource(attributes: origin.attributes.map(Attribute.init)), scopeSpans: [scope])]
    }

    /// - Returns: the body of an OTLP request, in JSON.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return Array(try encoder.encode(self))
    }

    private struct OfResource: Encodable {
        struct Resource: Encodable { let attributes: [Attribute] }
        let resource: Resource
        let scopeSpans: [OfScope]
    }

    private struct OfScope: Encodable {
        struct Scope: Encodable { let name: String }
        let scope: Scope
        let spans: [Entry]
    }

    private struct Entry: Encodable {
        struct Status: Encodable { let code: Int }
        let traceId, spanId: String
        let parentSpanId: String?
        let name: String
        let kind: Int
        let startTimeUnixNano, endTimeUnixNano: String
        let attributes: [Attribute]
        let status: Status?

        init(_ span: Span) {
            traceId = span.context.traceID
            spanId = span.context.spanID
            parentSpanId = span.parentID
            name = span.name
            kind = span.kind.rawValue
            startTimeUnixNano = String(span.start.nanoseconds)
            endTimeUnixNano = String(span.end.nanoseconds)
            attributes = span.attributes.map(Attribute.init)
            // STATUS_CODE_ERROR; otherwise unset, as the conventions have it.
            status = span.isFailure ? Status(code: 2) : nil
        }
    }

    private struct Attribute: Encodable {
        struct Value: Encodable {
            let stringValue: String?
            let intValue: String?
        }
        let key: String
        let value: Value

        init(name: String, value: Span.Value) {
            key = name
            switch value {
            case .text(let text): self.value = Value(stringValue: text, intValue: nil)
            case .integer(let number): self.value = Value(stringValue: nil, intValue: String(number))
            }
        }
    }
}
