import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Gateway

@Suite("Requests with much text beyond ASCII")
struct ForeignTextFilterTests {
    private static let most = ForeignTextFilter.maximumBytes

    /// A connection with the filter behind the decoder.
    private func channel() -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        channel.pipeline.addBehindDecoder(ForeignTextFilter())
        return channel
    }

    private static func request(target: String = "/", field: String = "") -> ByteBuffer {
        ByteBuffer(string: "POST \(target) HTTP/1.1\r\nHost: rial.test\r\nIf-None-Match: \(field)\r\nContent-Length: 1\r\n\r\nx")
    }

    @Test(
        "are refused before anyone compares it, and nothing of them is seen",
        arguments: [
            request(field: "a" + String(repeating: "\u{301}", count: most / 2) + "é"),
            request(field: "\(String(repeating: "é", count: most / 2 - 1))\r\nAccept: éé"),
            request(target: "/" + String(repeating: "%cc%81", count: most / 2) + "%41"),
            request(target: "/?" + String(repeating: "%41", count: most - 1), field: "é"),
        ])
    func refused(request: ByteBuffer) throws {
        let channel = channel()
        defer { _ = try? channel.finish() }
        #expect(throws: HTTPParserError.invalidCharactersUsed) { try channel.writeInbound(request) }
        // Nor of what follows.
        try channel.writeInbound(Self.request())
        let seen = try channel.readInbound(as: HTTPServerRequestPart.self)
        #expect(seen == nil)
    }

    @Test(
        "are served up to a thousand bytes of it, and with as much ASCII as they like",
        arguments: [
            request(field: String(repeating: "é", count: most / 2)), request(target: "/" + String(repeating: "%cc%81", count: most / 2)),
            request(target: "/" + String(repeating: "a", count: 5000), field: String(repeating: "a%", count: 5000)),
        ])
    func served(request: ByteBuffer) throws {
        let channel = channel()
        defer { _ = try? channel.finish() }
        try channel.writeInbound(request)
        var parts = 0
        while try channel.readInbound(as: HTTPServerRequestPart.self) != nil { parts += 1 }
        #expect(parts == 3)
    }
}
