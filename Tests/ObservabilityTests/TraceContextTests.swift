import Testing

@testable import Observability

@Suite("W3C trace context")
struct TraceContextTests {
    @Test("a header survives parsing and writing")
    func roundTrip() throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.traceparent == text && context.isSampled)
    }

    @Test("a child has its parent's trace and a new span")
    func children() {
        let parent = TraceContext()
        let child = parent.child()
        #expect(child.traceID == parent.traceID && child.spanID != parent.spanID && child.isSampled == parent.isSampled)
    }

    @Test(
        "what is no header of version 00 is none",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
        ])
    func malformed(text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test("ids are never repeated")
    func ids() {
        #expect(Set((0..<1000).map { _ in TraceContext().traceID }).count == 1000)
    }
}
