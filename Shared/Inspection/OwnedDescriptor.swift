import CSandbox
import Foundation

/// A file descriptor that is closed at the end of its scope, and in every program that is started.
struct OwnedDescriptor: ~Copyable {
    let number: Int32

    /// Above every number that a child gets its files under, so that arranging them never overwrites one.
    private static let lowest: Int32 = 16

    init(owning number: Int32) { self.number = number }

    /// - Parameter opened: an open descriptor, closed here, or a negative number with `errno` set.
    init(taking opened: Int32, _ what: String) throws(InspectionError) {
        guard opened >= 0 else { throw .unavailable("\(what): \(String(cString: strerror(errno)))") }
        self = try OwnedDescriptor(owning: opened).raised(what)
    }

    /// The same open file under a number that no child uses.
    borrowing func raised(_ what: String) throws(InspectionError) -> OwnedDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, Self.lowest)
        guard copy >= 0 else { throw .unavailable("\(what): \(String(cString: strerror(errno)))") }
        return OwnedDescriptor(owning: copy)
    }

    deinit { close(number) }

    /// Opens for reading.
    init(opening path: String) throws(InspectionError) {
        try self.init(taking: open(path, O_RDONLY | O_CLOEXEC), path)
    }

    /// The same file, with a position of its own that starts at 0, for reading only.
    init(reopening descriptor: Int32) throws(InspectionError) {
        try self.init(taking: open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC), "descriptor \(descriptor)")
    }
}

/// What is written into `write` comes out of `read`.
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
