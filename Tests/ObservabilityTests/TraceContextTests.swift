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
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-00",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-" + String(repeating: "-", count: 1 << 20), "-------", "\u{0}",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
        ])
    func malformed(text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test("a later version is read as far as this one goes")
    func laterVersion() throws {
        let context = try #require(TraceContext(traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-what-comes"))
        #expect(context.traceparent == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00" && !context.isSampled)
    }

    @Test("as many traces are sampled as the ratio says", arguments: [0.0, 0.25, 0.5, 1])
    func sampling(part: Double) throws {
        let ratio = try #require(SamplingRatio(part))
        let words = (0..<20_000).map { _ in UInt64.random(in: 1...UInt64.max) } + [1, UInt64.max]
        let taken = Double(words.count { ratio.takes($0) }) / Double(words.count)
        #expect(abs(taken - part) < 0.02)
        if part == 0 || part == 1 { #expect(taken == part) }
    }

    @Test("no other ratio is one", arguments: [-0.1, 1.1, .nan, .infinity])
    func ratios(part: Double) { #expect(SamplingRatio(part) == nil) }

    @Test("ids are never repeated")
    func ids() {
        #expect(Set((0..<1000).map { _ in TraceContext().traceID }).count == 1000)
    }
}
