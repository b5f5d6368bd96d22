import Foundation

/// A TCP connection for requests that HTTP clients cannot send.
enum RawConnection {
    struct Failed: Error { let call: String }

    /// A blocking socket, connected to a port of 127.0.0.1.
    /// - Parameter prepare: sets options before the socket connects.
    static func open(port: UInt16, prepare: (_ descriptor: Int32) -> Void = { _ in }) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(call: "socket") }
        prepare(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else {
            close(descriptor)
            throw Failed(call: "connect")
        }
        return descriptor
    }

    /// Sends the bytes, shuts down its side if requested, and reads until the peer closes or `seconds` have passed.
    static func exchange(port: UInt16, _ bytes: [UInt8], closing: Bool, seconds: Int) async throws -> (answer: String, isClosed: Bool) {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try exchangeBlocking(port: port, bytes, closing: closing, seconds: seconds) })
            }
        }
    }

    private static func exchangeBlocking(
        port: UInt16, _ bytes: [UInt8], closing: Bool, seconds: Int
    ) throws -> (answer: String, isClosed: Bool) {
        let descriptor = try open(port: port) { descriptor in
            var limit = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        defer { close(descriptor) }
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { throw Failed(call: "send") }
        if closing { shutdown(descriptor, Int32(SHUT_WR)) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return (String(decoding: answer, as: UTF8.self), count == 0 || errno == ECONNRESET) }
            answer += buffer[..<count]
        }
    }
}
