import CC2PA
import Foundation

/// A file for the library's callbacks. It has its own position; the descriptor's position does not change.
final class FileStream {
    private let descriptor: Int32
    private var position: Int64 = 0
    private(set) var handle: OpaquePointer?

    /// - Parameter descriptor: must stay open as long as the stream exists.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        handle = c2pa_create_stream(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, bytes, count in FileStream.from(context)?.read(bytes, count) ?? -1 },
            { context, offset, mode in FileStream.from(context)?.seek(offset, mode) ?? -1 },
            { context, bytes, count in FileStream.from(context)?.write(bytes, count) ?? -1 },
            { _ in 0 })
    }

    deinit { if let handle { c2pa_release_stream(handle) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> FileStream? {
        context.map { Unmanaged<FileStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        guard let bytes, count >= 0 else { return -1 }
        while true {
            let read = pread(descriptor, bytes, count, off_t(position))
            if read < 0, errno == EINTR { continue }
            if read > 0 { position += Int64(read) }
            return read
        }
    }

    private func write(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
        guard let bytes, count >= 0 else { return -1 }
        while true {
            let written = pwrite(descriptor, bytes, count, off_t(position))
            if written < 0, errno == EINTR { continue }
            if written > 0 { position += Int64(written) }
            return written
        }
    }

    /// - Parameter mode: 0 from the start, 1 from here, 2 from the end.
    private func seek(_ offset: Int, _ mode: Int32) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return -1 }
        let base: Int64
        switch mode {
        case 0: base = 0
        case 1: base = position
        case 2: base = Int64(status.st_size)
        default: return -1
        }
        let (target, overflow) = base.addingReportingOverflow(Int64(offset))
        guard !overflow, target >= 0 else { return -1 }
        position = target
        return Int(target)
    }
}
