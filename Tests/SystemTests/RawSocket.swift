import Foundation

/// A TCP connection that a test holds open and reads or not, as it likes. Nothing blocks.
final class RawSocket: @unchecked Sendable {
    // The descriptor never changes; what was received is read by one task, others only send.
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// The peer has ended the connection, or its half of it.
    private(set) var isEnded = false

    /// - Parameter window: bytes that the peer may send before they are read; the system's own where it is `nil`.
    init(port: UInt16, window: Int32? = nil) throws {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard made >= 0 else { throw RawConnection.Failed(call: "socket") }
        // Before the connection is made: later it would not shrink the window.
        if var size = window { setsockopt(made, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard isConnected == 0 else {
            close(made)
            throw RawConnection.Failed(call: "connect")
        }
        descriptor = made
    }

    deinit { close(descriptor) }

    /// - Returns: how many bytes were taken; 0 while there is no room, `nil` once the connection is broken.
    func send(_ bytes: some Collection<UInt8>) -> Int? {
        let copy = Array(bytes)
        let count = Glibc.send(descriptor, copy, copy.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Takes what has come.
    /// - Parameter limit: no more than this in all.
    func text(limit: Int = 1 << 20) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while received.count < limit, !isEnded {
            let count = recv(descriptor, &buffer, min(buffer.count, limit - received.count), Int32(MSG_DONTWAIT))
            if count > 0 {
                received += buffer[..<count]
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                isEnded = true
            } else {
                break
            }
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Of the answer, once its first line is there; reads no more than that line needs.
    var status: Int? { text(limit: 64).split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}

/// Sends a few bytes on each of many connections every second, until it is let go.
final class Trickle: Sendable {
    private let task: Task<Void, Never>

    /// - Parameter bytes: 2,000 are more than the least rate, 1 is less.
    init(_ sockets: [RawSocket], bytes: Int = 1) {
        task = Task {
            while !Task.isCancelled {
                for socket in sockets { _ = socket.send([UInt8](repeating: 0x2e, count: bytes)) }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    deinit { end() }

    /// Lets the connections go.
    func end() { task.cancel() }
}
