import CC2PA

/// Bytes in memory for the library's callbacks.
final class MemoryStream {
    private(set) var bytes: [UInt8]
    private let maximumBytes: Int
    private var position = 0
    /// Whether it was asked for what no file can give, or to hold more than its largest size.
    private(set) var hasRefused = false
    private(set) var handle: OpaquePointer?

    /// - Parameters:
    ///   - maximumBytes: the largest size; writing beyond it fails.
    ///   - expectedBytes: up to which it grows without being moved.
    init(_ bytes: [UInt8] = [], maximumBytes: Int, expectedBytes: Int = 0) {
        self.bytes = bytes
        if expectedBytes > bytes.count { self.bytes.reserveCapacity(min(expectedBytes, maximumBytes)) }
        self.maximumBytes = maximumBytes
        handle = c2pa_create_stream(
            Unmanaged.passUnretained(self).toOpaque(),
            { context, bytes, count in MemoryStream.from(context)?.read(bytes, count) ?? -1 },
            { context, offset, mode in MemoryStream.from(context)?.seek(offset, mode) ?? -1 },
            { context, bytes, count in MemoryStream.from(context)?.write(bytes, count) ?? -1 },
            { _ in 0 })
    }

    deinit { if let handle { c2pa_release_stream(handle) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MemoryStream? {
        context.map { Unmanaged<MemoryStream>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: the number of bytes, 0 at the end, -1 for wrong arguments.
    func read(_ target: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        guard let target, count >= 0 else { return -1 }
        guard position < bytes.count else { return 0 }
        let part = bytes[position..<position + min(count, bytes.count - position)]
        _ = UnsafeMutableBufferPointer(start: target, count: part.count).update(fromContentsOf: part)
        position += part.count
        return part.count
    }

    /// Overwrites and extends; a gap before the position is filled with zeros.
    /// - Returns: the number of bytes, -1 for wrong arguments and beyond the largest size.
    func write(_ source: UnsafePointer<UInt8>?, _ count: Int) -> Int {
        guard let source, count >= 0, position <= maximumBytes, count <= maximumBytes - position else {
            hasRefused = true
            return -1
        }
        if position > bytes.count { bytes.append(contentsOf: repeatElement(0, count: position - bytes.count)) }
        let written = UnsafeBufferPointer(start: source, count: count)
        let overwritten = min(count, bytes.count - position)
        bytes.withUnsafeMutableBufferPointer { bytes in
            _ = bytes[position..<position + overwritten].update(fromContentsOf: written[..<overwritten])
        }
        bytes.append(contentsOf: written[overwritten...])
        position += count
        return count
    }

    /// - Parameter mode: 0 from the start, 1 from here, 2 from the end.
    /// - Returns: the new position, -1 if there is none.
    func seek(_ offset: Int, _ mode: Int32) -> Int {
        guard let target = seekTarget(offset, mode, position: Int64(position), length: Int64(bytes.count)) else {
            hasRefused = true
            return -1
        }
        position = Int(target)
        return position
    }
}
