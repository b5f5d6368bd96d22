import Foundation

/// Blocking TCP on 127.0.0.1, for the tests' servers and relays, which have their own threads.
enum LoopbackSocket {
    struct Failed: Error { let call: String }

    /// Opens a listening socket.
    /// - Parameter port: 0 for any free port.
    static func listener(port: Int) throws -> (descriptor: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw Failed(call: "socket") }
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = Self.address(port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else {
            close(listener)
            throw Failed(call: "bind")
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects to a port; `nil` if nothing listens on it.
    static func connection(port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = Self.address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard isConnected == 0 else {
            close(descriptor)
            return nil
        }
        // Disables Nagle's algorithm, so that relayed bytes are sent at once.
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    /// - Returns: false once the peer has closed the connection.
    static func sendAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Waits for bytes and returns at least one; `nil` at the end of the stream.
    static func receive(from descriptor: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        return count > 0 ? Array(chunk.prefix(count)) : nil
    }

    /// Waits until the peer closes the connection, without reading from it at first.
    ///
    /// Bytes that the peer sent before hide the end as long as nobody reads them and no more fit into the buffer. So after `quiet` they are
    /// read and dropped.
    /// - Returns: false if it did not in time.
    static func awaitEnd(of descriptor: Int32, within limit: Duration, quiet: Duration = .seconds(10)) -> Bool {
        let start = ContinuousClock.now
        while start.duration(to: .now) < limit {
            // POLLRDHUP, which Glibc's module does not show.
            var request = pollfd(fd: descriptor, events: 0x2000, revents: 0)
            if poll(&request, 1, 500) > 0 { return true }
            guard start.duration(to: .now) > quiet else { continue }
            var chunk = [UInt8](repeating: 0, count: 64 * 1024)
            if recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT)) == 0 { return true }
        }
        return false
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = UInt16(clamping: port).bigEndian
        return address
    }
}
