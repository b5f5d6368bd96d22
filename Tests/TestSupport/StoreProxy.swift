import Foundation

/// A proxy between the services and an object store that can respond with errors in place of the store.
public final class StoreProxy: Sendable {
    /// The kind of failure.
    public enum Refusal: Sendable, Equatable {
        /// A response with this status and an error body in the format of S3.
        case status(Int, code: String)
        /// Closes each connection.
        case closed
    }

    public var port: Int { relay.port }
    /// The number of requests refused so far.
    public var refused: Int { count.withLock { $0 } }
    private let relay: LoopbackRelay
    private let refusal: SharedValue<Refusal?>
    private let count: SharedValue<Int>

    /// - Parameter target: the store's port.
    public init(to target: @escaping @Sendable () -> Int?) throws {
        let (refusal, count) = (SharedValue<Refusal?>(nil), SharedValue(0))
        (self.refusal, self.count) = (refusal, count)
        relay = try LoopbackRelay(
            to: target, refuses: { refusal.withLock { $0 != nil } },
            handle: { pair in
                pair.pump { pair in
                    while let chunk = LoopbackSocket.receive(from: pair.client), LoopbackSocket.sendAll(chunk, to: pair.server) {}
                } down: { pair in
                    while let chunk = LoopbackSocket.receive(from: pair.server), LoopbackSocket.sendAll(chunk, to: pair.client) {}
                }
            },
            refuse: { client in
                count.withLock { $0 += 1 }
                guard case .status(let status, let code) = refusal.withLock({ $0 }) else { return }
                Self.answer(client, status, code)
            })
    }

    /// Fails all requests from now on; open connections are closed.
    public func refuse(_ how: Refusal) {
        refusal.withLock { $0 = how }
        relay.cut()
    }

    /// Forwards requests again.
    public func comeBack() { refusal.withLock { $0 = nil } }

    /// Reads the whole request first, so that the client gets the response and not a broken pipe.
    private static func answer(_ client: Int32, _ status: Int, _ code: String) {
        var head: [UInt8] = []
        var rest = 0
        while true {
            guard let chunk = LoopbackSocket.receive(from: client) else { return }
            head += chunk
            guard let end = Data(head).range(of: Data("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: head[..<end.lowerBound], as: UTF8.self).lowercased().components(separatedBy: "\r\n")
            let length = lines.first { $0.hasPrefix("content-length:") }.flatMap {
                Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces))
            }
            rest = (length ?? 0) - (head.count - end.upperBound)
            break
        }
        while rest > 0, let chunk = LoopbackSocket.receive(from: client) { rest -= chunk.count }
        let body = head.starts(with: Array("HEAD".utf8)) ? "" : "<Error><Code>\(code)</Code><Message>refused</Message></Error>"
        let text =
            "HTTP/1.1 \(status) X\r\nContent-Type: application/xml\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        _ = LoopbackSocket.sendAll(Array((text + body).utf8), to: client)
    }
}
