import Foundation

/// Ends a wait for a socket from another thread: the wait is for this pipe as well.
///
/// Without descriptors for it, which poll(2) passes over, the wait ends in its own time.
final class WakePipe: Sendable {
    /// Has something to read from ``wake()`` until ``clear()``.
    let reader: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = ends[0]
        writer = ends[1]
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Ends the wait that goes on, or else the next one.
    func wake() { _ = write(writer, [UInt8(1)], 1) }

    func clear() {
        var byte: UInt8 = 0
        while read(reader, &byte, 1) > 0 {}
    }
}
