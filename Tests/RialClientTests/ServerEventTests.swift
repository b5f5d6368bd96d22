import Testing

@testable import RialClient

@Suite("Server-sent events")
struct ServerEventTests {
    static let stream = """
        : heartbeat

        id: 1
        event: status
        data: {"status":"processing"}

        event: check\r
        id:2\r
        data: {"name":"depth",\r
        data: "status":"pass"}\r
        \r
        retry: 5

        data

        data: unfinished
        """
    static let events = [
        ServerEvent(id: "1", name: "status", data: "{\"status\":\"processing\"}"),
        ServerEvent(id: "2", name: "check", data: "{\"name\":\"depth\",\n\"status\":\"pass\"}"),
        ServerEvent(id: "2", name: "message", data: ""),
    ]

    @Test("are the same however the stream is cut", arguments: 1...40)
    func anyChunks(size: Int) throws {
        let bytes = Array(Self.stream.utf8)
        var parser = ServerEventParser()
        var found: [ServerEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += try parser.feed(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(found == Self.events)
    }

    @Test("end with an error when one is too long", arguments: ["x", "data: x\n"])
    func tooLong(piece: String) {
        let bytes = Array(String(repeating: piece, count: ServerEventParser.maximumEventBytes + 1).utf8)
        var parser = ServerEventParser()
        let failure = #expect(throws: APIFailure.self) { try parser.feed(bytes) }
        #expect(failure?.code == .invalidResponse)
    }
}
