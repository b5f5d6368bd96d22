import Foundation
import Synchronization

/// An HTTP server on a port of its own at 127.0.0.1, one request after the other; `nil` for an answer closes the connection.
final class LocalServer: Sendable {
    let port: UInt16
    var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }
    /// Connections so far.
    var connections: Int { count.withLock { $0 } }
    private let listener: Int32
    private let count = Mutex(0)

    init(answer: @escaping @Sendable ([UInt8]) -> (status: Int, body: [UInt8])?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard listener >= 0, bound else { throw CocoaError(.featureUnsupported) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                self?.count.withLock { $0 += 1 }
                if let reply = answer(Self.body(from: connection)) {
                    let head =
                        "HTTP/1.1 \(reply.status) X\r\nContent-Type: application/timestamp-reply\r\n"
                        + "Content-Length: \(reply.body.count)\r\nConnection: close\r\n\r\n"
                    let bytes = Array(head.utf8) + reply.body
                    _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                }
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The request's body, by its Content-Length.
    private static func body(from connection: Int32) -> [UInt8] {
        var request: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while request.count < 100_000 {
            if let end = Data(request).range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased()
                let length =
                    head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if request.count >= end.upperBound + length { return Array(request[end.upperBound...]) }
            }
            let read = recv(connection, &chunk, chunk.count, 0)
            guard read > 0 else { break }
            request += chunk.prefix(read)
        }
        return []
    }
}
