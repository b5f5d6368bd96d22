import Foundation

/// A TCP connection that stays open, with reading controlled by the test. No call blocks.
///
/// `@unchecked Sendable`: the descriptor never changes; one task reads, others only send.
final class RawSocket: @unchecked Sendable {
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// Whether the peer has closed the connection, or its sending side.
    private(set) var isEnded = false

    /// - Parameter window: bytes that the peer may send before they are read; `nil` for the system's default.
    init(port: UInt16, window: Int32? = nil) throws {
        descriptor = try RawConnection.open(port: port) { descriptor in
            // Set before connecting: later it would not shrink the window.
            if var size = window { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        }
    }

    deinit { close(descriptor) }

    /// - Returns: the number of bytes sent; 0 if the buffer is full, `nil` once the connection is broken.
    func send(_ bytes: some Collection<UInt8>) -> Int? {
        let copy = Array(bytes)
        let count = Glibc.send(descriptor, copy, copy.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    /// Everything received so far.
    /// - Parameter limit: stops reading after this many bytes in all.
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

    /// The response's status, once its first line has arrived; reads little more than that line.
    var status: Int? { text(limit: 64).split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}

/// Sends a few bytes every second on each of many connections, until it is released or stopped.
final class Trickle: Sendable {
    private let task: Task<Void, Never>

    /// - Parameter bytes: 2,000 are above the gateway's minimum rate, 1 is below.
    init(_ sockets: [RawSocket], bytes: Int = 1) {
        task = Task {
            while !Task.isCancelled {
                for socket in sockets { _ = socket.send([UInt8](repeating: 0x2e, count: bytes)) }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    deinit { end() }

    func end() { task.cancel() }
}
