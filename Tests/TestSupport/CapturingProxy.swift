import Foundation

/// A proxy between a client and an HTTP server that keeps what the client sends.
public final class CapturingProxy: Sendable {
    /// A request as it passed.
    public struct Request: Sendable {
        public let method: String
        public let target: String
        /// Names in lower case.
        public let headers: [String: String]
        public let body: [UInt8]
    }

    public var port: Int { relay.port }
    private let relay: LoopbackRelay
    private let connections: SharedValue<[[UInt8]]>

    /// - Parameter target: the server's port.
    public init(to target: Int) throws {
        let connections = SharedValue<[[UInt8]]>([])
        self.connections = connections
        relay = try LoopbackRelay(
            to: { target }, refuses: { false },
            handle: { pair in
                let index = connections.withLock { connections in
                    connections.append([])
                    return connections.count - 1
                }
                pair.pump { pair in
                    while let chunk = LoopbackSocket.receive(from: pair.client) {
                        connections.withLock { $0[index] += chunk }
                        guard LoopbackSocket.sendAll(chunk, to: pair.server) else { return }
                    }
                } down: { pair in
                    while let chunk = LoopbackSocket.receive(from: pair.server) {
                        guard LoopbackSocket.sendAll(chunk, to: pair.client) else { return }
                    }
                }
            },
            refuse: { _ in })
    }

    /// Every byte that clients sent, connection by connection.
    public var sent: [[UInt8]] { connections.withLock { $0 } }

    /// The complete requests, each with a body of the length that it declares.
    public var requests: [Request] { sent.flatMap(Self.requests) }

    private static func requests(of connection: [UInt8]) -> [Request] {
        var requests: [Request] = []
        var rest = connection[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            let fields = lines.dropFirst().compactMap { line -> (String, String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
            let headers = Dictionary(fields) { first, _ in first }
            let body = rest[end.upperBound...].prefix(headers["content-length"].flatMap { Int($0) } ?? 0)
            guard words.count == 3 else { break }
            requests.append(
                Request(method: String(words[0]), target: String(words[1]), headers: headers, body: Array(body)))
            rest = rest[body.endIndex...]
        }
        return requests
    }
}
