import CC2PA
import Foundation

/// A file for the library's callbacks, read through a buffer: the library often reads a few bytes. It has its own position; the
/// descriptor's position does not change.
final class FileStream {
    private static let bufferBytes = 64 << 10
    private let descriptor: Int32
    private var position: Int64 = 0
    /// Bytes of the file from ``bufferStart`` on.
    private var buffer: [UInt8] = []
    private var bufferStart: Int64 = 0
    private(set) var handle: OpaquePointer?

    /// - Parameter descriptor: must stay open as long as the stream exists.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        handle = c2pa_create_stream(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, bytes, count in FileStream.from(context)?.read(bytes, count) ?? -1 },
            { context, offset, mode in FileStream.from(context)?.seek(offset, mode) ?? -1 },
            // Files are only read.
            { _, _, _ in -1 },
            { _ in 0 })
    }

    deinit { if let handle { c2pa_release_stream(handle) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> FileStream? {
        context.map { Unmanaged<FileStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        guard let bytes, count >= 0 else { return -1 }
        let target = UnsafeMutableRawBufferPointer(start: bytes, count: count)
        // Large reads do not pass through the buffer.
        guard count < Self.bufferBytes else { return advance(by: Self.read(descriptor, into: target, at: position)) }
        if !(bufferStart..<bufferStart + Int64(buffer.count)).contains(position) {
            guard fill() else { return -1 }
        }
        let rest = buffer[Int(position - bufferStart)...]
        let part = rest.prefix(count)
        target.copyBytes(from: part)
        return advance(by: part.count)
    }

    private func advance(by count: Int) -> Int {
        if count > 0 { position += Int64(count) }
        return count
    }

    /// Reads on from the position; the buffer is empty at the file's end.
    private func fill() -> Bool {
        var count = 0
        buffer = [UInt8](unsafeUninitializedCapacity: Self.bufferBytes) { target, initialized in
            count = Self.read(descriptor, into: UnsafeMutableRawBufferPointer(target), at: position)
            initialized = max(0, count)
        }
        bufferStart = position
        return count >= 0
    }

    private static func read(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer, at position: Int64) -> Int {
        while true {
            let count = pread(descriptor, target.baseAddress, target.count, off_t(position))
            if count < 0, errno == EINTR { continue }
            return count
        }
    }

    /// - Parameter mode: 0 from the start, 1 from here, 2 from the end.
    private func seek(_ offset: Int, _ mode: Int32) -> Int {
        let base: Int64
        switch mode {
        case 0: base = 0
        case 1: base = position
        case 2:
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return -1 }
            base = Int64(status.st_size)
        default: return -1
        }
        let (target, overflow) = base.addingReportingOverflow(Int64(offset))
        guard !overflow, target >= 0 else { return -1 }
        position = target
        return Int(target)
    }
}
