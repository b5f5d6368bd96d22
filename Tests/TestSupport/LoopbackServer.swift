public import Foundation
import Synchronization

/// An HTTP server for tests on 127.0.0.1 that reads one request at a time; `nil` instead of a response closes the connection.
public final class LoopbackServer: Sendable {
    public typealias Answer = (status: Int, body: [UInt8])

    public let port: Int
    public var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }
    /// The number of connections so far.
    public var connections: Int { count.withLock { $0 } }
    private let listener: Int32
    private let count = Mutex(0)

    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - contentType: of all responses.
    public convenience init(
        port: Int = 0, contentType: String = "application/octet-stream", answer: @escaping @Sendable ([UInt8]) -> Answer?
    ) throws {
        try self.init(port: port, serve: { Self.reply(answer(Self.body(from: $0)), contentType, to: $0) })
    }

    /// A server whose answers may take their time; it goes on to the next request meanwhile.
    public static func waiting(
        contentType: String = "application/octet-stream", for answer: @escaping @Sendable ([UInt8]) async -> Answer?
    ) throws -> LoopbackServer {
        try LoopbackServer(
            port: 0,
            serve: { connection in
                let body = body(from: connection)
                Task { reply(await answer(body), contentType, to: connection) }
            })
    }

    /// - Parameter serve: reads from the connection, and closes it.
    private init(port: Int, serve: @escaping @Sendable (Int32) -> Void) throws {
        (listener, self.port) = try LoopbackSocket.listener(port: port)
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                self?.count.withLock { $0 += 1 }
                serve(connection)
            }
            // Only this thread may close it: otherwise the descriptor could be reused for another server before `accept` returns.
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func reply(_ answer: Answer?, _ contentType: String, to connection: Int32) {
        if let answer {
            let head = "HTTP/1.1 \(answer.status) X\r\nContent-Type: \(contentType)\r\n"
            let bytes = Array("\(head)Content-Length: \(answer.body.count)\r\nConnection: close\r\n\r\n".utf8) + answer.body
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(connection)
    }

    /// The request's body, by its Content-Length.
    private static func body(from connection: Int32) -> [UInt8] {
        var request: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while request.count < 100_000 {
            if let end = Data(request).range(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased().components(separatedBy: "\r\n")
                let field = lines.first { $0.hasPrefix("content-length:") }
                let length = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if request.count >= end.upperBound + length { return Array(request[end.upperBound...]) }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            request += chunk.prefix(count)
        }
        return []
    }
}
