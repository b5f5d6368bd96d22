import Foundation
import Synchronization

/// A TCP relay on 127.0.0.1, for tests that cut, refuse or change connections.
final class LoopbackRelay: Sendable {
    /// Relays one connection, on its own thread, until it returns.
    typealias Handling = @Sendable (_ pair: RelayedPair) -> Void

    let port: Int
    private let listener: Int32
    private let pairs = Mutex<[ObjectIdentifier: RelayedPair]>([:])

    /// - Parameters:
    ///   - target: the server's port, queried for each connection; `nil` while there is no server.
    ///   - refuses: called for each connection; true to call `refuse` instead of connecting to the server.
    ///   - handle: relays both directions.
    ///   - refuse: responds in place of the server; the connection is closed afterwards.
    init(
        to target: @escaping @Sendable () -> Int?, refuses: @escaping @Sendable () -> Bool, handle: @escaping Handling,
        refuse: @escaping @Sendable (_ client: Int32) -> Void
    ) throws {
        (listener, port) = try LoopbackSocket.listener(port: 0)
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                Thread.detachNewThread { [weak self] in
                    if refuses() {
                        refuse(client)
                        close(client)
                    } else if let target = target(), let server = LoopbackSocket.connection(port: target) {
                        let pair = RelayedPair(client: client, server: server)
                        self?.pairs.withLock { $0[ObjectIdentifier(pair)] = pair }
                        handle(pair)
                        self?.pairs.withLock { $0[ObjectIdentifier(pair)] = nil }
                        pair.end()
                    } else {
                        close(client)
                    }
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Closes all open connections.
    func cut() { for pair in pairs.withLock({ Array($0.values) }) { pair.cut() } }
}

/// A client's connection and the connection to the server that was opened for it.
final class RelayedPair: Sendable {
    let client: Int32
    let server: Int32
    private let isOpen = Mutex(true)

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    /// Shuts down both connections; threads that read from them get an end of stream.
    func cut() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    /// Closes the descriptors; call it only when no thread uses them any more.
    fileprivate func end() {
        isOpen.withLock { isOpen in
            isOpen = false
            close(client)
            close(server)
        }
    }

    /// Runs both directions; when one ends, shuts down the other.
    func pump(up: @escaping @Sendable (RelayedPair) -> Void, down: @escaping @Sendable (RelayedPair) -> Void) {
        // This blocks a thread of the relay, never one of the cooperative pool.
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            down(self)
            self.cut()
            isDone.signal()
        }
        up(self)
        cut()
        isDone.wait()
    }
}
