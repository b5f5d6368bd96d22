/// Reads the fields of one box from front to back, big-endian.
struct FieldReader {
    private(set) var rest: ArraySlice<UInt8>
    private let name: FourCharacterCode

    /// - Parameter name: for messages; of a box that we know.
    init(_ content: ArraySlice<UInt8>, of name: FourCharacterCode) {
        rest = content
        self.name = name
    }

    var error: MovieError { MovieError(.malformedBox, "has a malformed \(name) box") }

    mutating func bytes(_ count: Int) throws(MovieError) -> ArraySlice<UInt8> {
        guard count >= 0, rest.count >= count else { throw error }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func skip(_ count: Int) throws(MovieError) { _ = try bytes(count) }

    mutating func u16() throws(MovieError) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }
    mutating func u32() throws(MovieError) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }
    mutating func u64() throws(MovieError) -> UInt64 { try number(8) }
    mutating func i32() throws(MovieError) -> Int32 { Int32(bitPattern: try u32()) }
    mutating func code() throws(MovieError) -> FourCharacterCode { FourCharacterCode(try u32()) }

    /// 8 bytes in version 1, else 4.
    mutating func wide(_ version: UInt8) throws(MovieError) -> UInt64 { version == 1 ? try u64() : UInt64(try u32()) }

    /// Version and flags of a full box (ISO/IEC 14496-12 §4.2); flags are ignored.
    /// - Throws: ``MovieError`` for a version above `newest`.
    mutating func version(newest: UInt8) throws(MovieError) -> UInt8 {
        let version = UInt8(truncatingIfNeeded: try u32() >> 24)
        guard version <= newest else { throw error }
        return version
    }

    /// The number of entries that a table claims, each `size` bytes, which are exactly what is left.
    mutating func entryCount(size: Int) throws(MovieError) -> Int {
        let count = Int(try u32())
        guard rest.count.isMultiple(of: size), rest.count / size == count else {
            throw MovieError(.tableLength, "has a \(name) table of another length than it claims")
        }
        return count
    }

    private mutating func number(_ count: Int) throws(MovieError) -> UInt64 {
        guard rest.count >= count else { throw error }
        var value: UInt64 = 0
        for index in rest.startIndex..<rest.startIndex + count { value = value << 8 | UInt64(rest[index]) }
        rest = rest.dropFirst(count)
        return value
    }
}
