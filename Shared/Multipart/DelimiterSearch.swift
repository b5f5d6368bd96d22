#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Finds a delimiter in a large body: `memchr` jumps from one CR to the next, which in compressed media is every 256 bytes.
enum DelimiterSearch {
    /// - Returns: where the delimiter begins; without one, where the longest suffix begins that could be the start of one (the input's
    ///   end, if none).
    static func find(_ delimiter: [UInt8], in input: ArraySlice<UInt8>) -> (position: Int, isWhole: Bool) {
        let found = input.withUnsafeBytes { find(delimiter, in: $0) }
        return (input.startIndex + found.position, found.isWhole)
    }

    /// As in a slice; the position counts from the first byte.
    static func find(_ delimiter: [UInt8], in haystack: UnsafeRawBufferPointer) -> (position: Int, isWhole: Bool) {
        guard let first = delimiter.first, let base = haystack.baseAddress else { return (haystack.count, false) }
        return delimiter.withUnsafeBytes { needle -> (position: Int, isWhole: Bool) in
            guard let pattern = needle.baseAddress else { return (haystack.count, false) }
            var offset = 0
            while offset < haystack.count, let hit = memchr(base + offset, Int32(first), haystack.count - offset) {
                let position = UnsafeRawPointer(hit) - base
                let available = min(needle.count, haystack.count - position)
                if memcmp(base + position, pattern, available) == 0 { return (position, available == needle.count) }
                offset = position + 1
            }
            return (haystack.count, false)
        }
    }
}
