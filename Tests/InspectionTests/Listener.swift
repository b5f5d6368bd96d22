import Foundation

/// Listens on 127.0.0.1 and tells whether anything has connected.
final class Listener: Sendable {
    let port: Int
    private let descriptor: Int32

    init?() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, length) == 0, listen(descriptor, 8) == 0 else { return Int32(-1) }
                return getsockname(descriptor, address, &length)
            }
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        guard status == 0 else { return nil }
    }

    deinit { close(descriptor) }

    var hasCaller: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 1
    }

    /// - Returns: whether the connection succeeded.
    func call() -> Bool {
        let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(caller) }
        var address = Self.loopback(in_port_t(truncatingIfNeeded: port))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(caller, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: in_port_t) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return address
    }
}
