import CSandbox
import Foundation

/// A file descriptor that is closed at the end of its scope, and not inherited by child processes.
struct OwnedDescriptor: ~Copyable {
    let number: Int32

    /// Above the descriptor numbers in the child, so that duplicating them overwrites none.
    private static let lowest: Int32 = 16

    init(owning number: Int32) { self.number = number }

    /// - Parameter opened: an open descriptor, closed here, or a negative number with `errno` set.
    init(taking opened: Int32, _ what: String) throws(InspectionError) {
        guard opened >= 0 else { throw .unavailable("\(what): \(String(cString: strerror(errno)))") }
        self = try OwnedDescriptor(owning: opened).raised(what)
    }

    /// The same open file, with a number of at least ``lowest``.
    borrowing func raised(_ what: String) throws(InspectionError) -> OwnedDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, Self.lowest)
        guard copy >= 0 else { throw .unavailable("\(what): \(String(cString: strerror(errno)))") }
        return OwnedDescriptor(owning: copy)
    }

    deinit { close(number) }

    /// Gives up the ownership: the caller closes it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Opens for reading.
    init(opening path: String) throws(InspectionError) {
        try self.init(taking: open(path, O_RDONLY | O_CLOEXEC), path)
    }

    /// The same file reopened for reading, with its own position, starting at 0.
    init(reopening descriptor: Int32) throws(InspectionError) {
        try self.init(taking: open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC), "descriptor \(descriptor)")
    }
}

/// Open files that are closed together.
final class DescriptorList {
    private(set) var numbers: [Int32] = []

    /// Opens for reading.
    init(opening paths: [String]) throws(InspectionError) {
        for path in paths {
            let file = try OwnedDescriptor(opening: path)
            numbers.append(file.release())
        }
    }

    deinit { for number in numbers { close(number) } }
}

/// A pipe: bytes written to `write` can be read from `read`.
struct Pipe: ~Copyable {
    let read: OwnedDescriptor
    let write: OwnedDescriptor

    static func make() throws(InspectionError) -> Pipe {
        var ends: [Int32] = [-1, -1]
        let status = rial_pipe(&ends)
        guard status == 0 else { throw .unavailable("pipe: \(String(cString: strerror(status)))") }
        let read = OwnedDescriptor(owning: ends[0])
        let write = OwnedDescriptor(owning: ends[1])
        return Pipe(read: try read.raised("pipe"), write: try write.raised("pipe"))
    }
}
