import Foundation
import Synchronization

/// Stands at a port of 127.0.0.1 in front of another one, for tests that cut, refuse or change what passes.
final class LoopbackRelay: Sendable {
    /// What becomes of one connection; runs on a thread of its own and ends with it.
    typealias Handling = @Sendable (_ pair: RelayedPair) -> Void

    let port: Int
    private let listener: Int32
    private let pairs = Mutex<[ObjectIdentifier: RelayedPair]>([:])

    /// - Parameters:
    ///   - target: the port behind it, asked for at each connection; `nil` while there is none.
    ///   - refuses: asked at each connection whether it is handled without anything behind it.
    ///   - handle: pumps both ways.
    ///   - refuse: answers a client in the place of what is behind it; the connection is closed afterwards.
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

    /// Ends all connections that there are.
    func cut() { for pair in pairs.withLock({ Array($0.values) }) { pair.cut() } }
}

/// A client's connection and the one that was opened for it.
final class RelayedPair: Sendable {
    let client: Int32
    let server: Int32
    private let isOpen = Mutex(true)

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    /// Ends both ways; the threads that read from them notice.
    func cut() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    /// Gives the descriptors back; only when no thread uses them any more.
    fileprivate func end() {
        isOpen.withLock { isOpen in
            isOpen = false
            close(client)
            close(server)
        }
    }

    /// Runs both directions, each until it ends, and cuts the other then.
    func pump(up: @escaping @Sendable (RelayedPair) -> Void, down: @escaping @Sendable (RelayedPair) -> Void) {
        // Waited for on a thread of the relay's own, never on one of the cooperative pool.
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
