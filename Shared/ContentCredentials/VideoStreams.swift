import CC2PA
import Foundation

/// Reads a range of what is signed into memory. Returns the number of bytes, fewer at the end, negative for an error.
public typealias RangeReader = (_ offset: Int64, _ target: UnsafeMutableRawBufferPointer) -> Int

/// Something of a known length for the library's callbacks, read wherever it lies.
final class SourceStream {
    private let length: Int64
    private let read: RangeReader
    private var position: Int64 = 0
    /// Whether the reader failed.
    private(set) var hasFailed = false
    /// Whether it was asked for a position that no file has.
    private(set) var hasRefused = false
    private(set) var handle: OpaquePointer?

    init(length: Int64, read: @escaping RangeReader) {
        self.length = length
        self.read = read
        handle = c2pa_create_stream(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, bytes, count in SourceStream.from(context)?.read(bytes, count) ?? -1 },
            { context, offset, mode in SourceStream.from(context)?.seek(offset, mode) ?? -1 },
            { _, _, _ in -1 },
            { _ in 0 })
    }

    deinit { if let handle { c2pa_release_stream(handle) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> SourceStream? {
        context.map { Unmanaged<SourceStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        guard let bytes, count >= 0 else { return -1 }
        let part = Int(min(Int64(count), max(0, length - position)))
        guard part > 0 else { return 0 }
        let done = read(position, UnsafeMutableRawBufferPointer(start: bytes, count: part))
        if done > 0 { position += Int64(done) }
        if done < 0 { hasFailed = true }
        return done
    }

    private func seek(_ offset: Int, _ mode: Int32) -> Int {
        guard let target = seekTarget(offset, mode, position: position, length: length) else {
            hasRefused = true
            return -1
        }
        position = target
        return Int(target)
    }
}

/// A file for the library's callbacks, read and written up to a size. Its position is its own.
final class FileSink {
    private let descriptor: Int32
    private let maximumBytes: Int64
    private var position: Int64 = 0
    private var length: Int64 = 0
    /// `errno` of the last failure; `nil` if the disk never failed.
    private(set) var failure: Int32?
    /// Whether it was asked for a position that no file has, or to hold more than its largest size.
    private(set) var hasRefused = false
    private(set) var handle: OpaquePointer?

    /// - Parameter descriptor: an empty file, open as long as the stream exists.
    init(_ descriptor: Int32, maximumBytes: Int64) {
        self.descriptor = descriptor
        self.maximumBytes = maximumBytes
        handle = c2pa_create_stream(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, bytes, count in FileSink.from(context)?.read(bytes, count) ?? -1 },
            { context, offset, mode in FileSink.from(context)?.seek(offset, mode) ?? -1 },
            { context, bytes, count in FileSink.from(context)?.write(bytes, count) ?? -1 },
            { _ in 0 })
    }

    deinit { if let handle { c2pa_release_stream(handle) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> FileSink? {
        context.map { Unmanaged<FileSink>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        guard let bytes, count >= 0 else { return -1 }
        return moved(by: retrying { pread(descriptor, bytes, count, off_t(position)) })
    }

    private func write(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
        guard let bytes, count >= 0, Int64(count) <= maximumBytes - position else {
            hasRefused = true
            return -1
        }
        let done = moved(by: retrying { pwrite(descriptor, bytes, count, off_t(position)) })
        length = max(length, position)
        return done
    }

    private func moved(by count: Int) -> Int {
        if count > 0 { position += Int64(count) }
        return count
    }

    private func retrying(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count < 0, errno == EINTR { continue }
            if count < 0 { failure = errno }
            return count
        }
    }

    private func seek(_ offset: Int, _ mode: Int32) -> Int {
        guard let target = seekTarget(offset, mode, position: position, length: length), target <= maximumBytes else {
            hasRefused = true
            return -1
        }
        position = target
        return Int(target)
    }
}

/// - Parameter mode: 0 from the start, 1 from here, 2 from the end.
func seekTarget(_ offset: Int, _ mode: Int32, position: Int64, length: Int64) -> Int64? {
    let base: Int64
    switch mode {
    case 0: base = 0
    case 1: base = position
    case 2: base = length
    default: return nil
    }
    let (target, overflow) = base.addingReportingOverflow(Int64(offset))
    return overflow || target < 0 ? nil : target
}
