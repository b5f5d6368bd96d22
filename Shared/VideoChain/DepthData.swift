public import Movie

/// The form of `depth_data`, inflated (SPEC §10.1): a header, then records in ascending time.
public enum DepthData {
    public static let magic = Array("RLDP".utf8)
    public static let version: UInt32 = 2
    /// Of the header, and of what precedes the values in a record.
    public static let headerBytes = 16
    /// Pixels of each side of a map.
    public static let sides = 1...1024
    public static let recordCounts = 1...200

    /// The header as the device writes it.
    public static func header(width: UInt16, height: UInt16) -> [UInt8] {
        magic + littleEndian(version) + littleEndian(width) + littleEndian(height) + littleEndian(UInt32(0))
    }

    /// What precedes the values of a record.
    /// - Parameter time: p(sample), in ticks of the video's timescale.
    public static func recordHeader(sample: UInt32, time: Int64) -> [UInt8] {
        littleEndian(sample) + littleEndian(UInt32(0)) + littleEndian(time)
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// Why bytes are not `depth_data`.
public struct DepthDataError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Not one complete gzip, zlib or DEFLATE stream.
        case corrupt
        /// Inflated, they do not have the form of ``DepthData``.
        case malformed
        /// Larger than a part may be, before or after it is inflated.
        case tooLong = "too_long"
        /// Memory ran out, which says nothing of the data.
        case outOfMemory = "out_of_memory"
    }

    public let code: Code
    /// Follows the part's name, such as "has no records"; no text of the data is in it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}

/// One record of `depth_data`, without its values.
public struct DepthRecord: Sendable, Equatable {
    public let sample: UInt32
    /// p(sample), in ticks of the video's timescale.
    public let time: Int64

    public init(sample: UInt32, time: Int64) {
        self.sample = sample
        self.time = time
    }

    /// The sample that the record belongs to; `nil` unless the one that it names is shown at its time.
    public func sampleNumber(in movie: Movie) -> Int? {
        let number = Int(sample)
        guard number < movie.video.samples.count, movie.video.samples[number].time == time else { return nil }
        return number
    }
}

/// Takes the values of the records that ``DepthDataParser`` reads.
public protocol DepthDataVisitor {
    /// Before the first record.
    mutating func begin(width: Int, height: Int)
    /// The next bytes of the record's values: little-endian float32, row by row. Chunks need not be aligned.
    mutating func take(_ bytes: UnsafeRawBufferPointer)
    /// After the last byte of the record's values.
    mutating func end(_ record: DepthRecord)
}

/// Reads inflated `depth_data` as it comes, keeping a few bytes only.
public struct DepthDataParser<Visitor: DepthDataVisitor> {
    public private(set) var visitor: Visitor
    public private(set) var width = 0
    public private(set) var height = 0
    /// Of complete records.
    public private(set) var count = 0
    private var head: [UInt8] = []
    private var isOpen = false
    private var record: DepthRecord?
    private var remaining = 0
    private var lastTime: Int64?

    public init(_ visitor: Visitor) { self.visitor = visitor }

    /// - Throws: ``DepthDataError``; the parser must not be used afterwards.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) throws(DepthDataError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if let current = record {
                let part = rest.prefix(remaining)
                visitor.take(UnsafeRawBufferPointer(rebasing: part))
                rest = rest.dropFirst(part.count)
                remaining -= part.count
                guard remaining == 0 else { return }
                visitor.end(current)
                record = nil
                count += 1
            } else {
                let part = rest.prefix(DepthData.headerBytes - head.count)
                head.append(contentsOf: part)
                rest = rest.dropFirst(part.count)
                guard head.count == DepthData.headerBytes else { return }
                if isOpen { try beginRecord() } else { try open() }
                head.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Call at the end of the data.
    /// - Throws: ``DepthDataError`` if they end inside a record, or have none.
    public func finish() throws(DepthDataError) {
        guard isOpen, record == nil, head.isEmpty else { throw DepthDataError(.malformed, "ends inside its header or a record") }
        guard count > 0 else { throw DepthDataError(.malformed, "has no records") }
    }

    private mutating func open() throws(DepthDataError) {
        guard Array(head[0..<4]) == DepthData.magic, number(4, UInt32.self) == DepthData.version, number(12, UInt32.self) == 0 else {
            throw DepthDataError(.malformed, "does not begin with the header \"RLDP\" of version \(DepthData.version)")
        }
        width = Int(number(8, UInt16.self))
        height = Int(number(10, UInt16.self))
        guard DepthData.sides.contains(width), DepthData.sides.contains(height) else {
            throw DepthDataError(.malformed, "has maps of \(width) × \(height) values; each side must be 1 to 1024")
        }
        visitor.begin(width: width, height: height)
        isOpen = true
    }

    private mutating func beginRecord() throws(DepthDataError) {
        guard count < DepthData.recordCounts.upperBound else {
            throw DepthDataError(.malformed, "has more than \(DepthData.recordCounts.upperBound) records")
        }
        guard number(4, UInt32.self) == 0 else { throw DepthDataError(.malformed, "has a record whose reserved field is not 0") }
        let time = number(8, Int64.self)
        if let lastTime, time <= lastTime { throw DepthDataError(.malformed, "has records that are not in ascending time") }
        lastTime = time
        record = DepthRecord(sample: number(0, UInt32.self), time: time)
        remaining = width * height * 4
    }

    private func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
        head.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}
