public import Foundation

/// An HTTP server for tests on 127.0.0.1 that sends the head of a response at once, and the body in twenty seconds, byte by byte.
public final class DrippingServer: Sendable {
    public let port: Int
    public var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }
    private let listener: Int32
    private static let bodyBytes = 40

    public init() throws {
        (listener, port) = try LoopbackSocket.listener(port: 0)
        Thread.detachNewThread { [listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread { DrippingServer.answer(connection) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func answer(_ connection: Int32) {
        defer { close(connection) }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bodyBytes)\r\nConnection: close\r\n\r\n"
        guard LoopbackSocket.receive(from: connection) != nil, LoopbackSocket.sendAll(Array(head.utf8), to: connection) else { return }
        for _ in 0..<bodyBytes {
            // The pause, unless the client closes the connection.
            if LoopbackSocket.awaitEnd(of: connection, within: .milliseconds(500)) { return }
            guard LoopbackSocket.sendAll([0x2e], to: connection) else { return }
        }
    }
}
