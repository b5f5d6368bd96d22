public import Depth

/// Gives the depth maps of ``DepthData`` as they come; one is held at a time.
public struct DepthMaps: DepthDataVisitor {
    private let take: (DepthRecord, DepthMap) -> Void
    private var width = 0
    private var height = 0
    private var bytes: [UInt8] = []

    /// - Parameter take: gets each record with its map, in order.
    public init(_ take: @escaping (DepthRecord, DepthMap) -> Void) { self.take = take }

    public mutating func begin(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        bytes.reserveCapacity(width * height * 4)
    }

    public mutating func take(_ part: UnsafeRawBufferPointer) { bytes.append(contentsOf: part) }

    public mutating func end(_ record: DepthRecord) {
        let metres = bytes.withUnsafeBytes { values in
            (0..<width * height).map {
                Float(bitPattern: UInt32(littleEndian: values.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
        bytes.removeAll(keepingCapacity: true)
        if let map = try? DepthMap(width: width, height: height, metres: metres) { take(record, map) }
    }
}

extension InflatedDepthData {
    /// Reads a whole part.
    /// - Throws: ``DepthDataError``.
    public static func read(_ part: [UInt8], _ visitor: Visitor) throws(DepthDataError) -> (visitor: Visitor, width: Int, height: Int) {
        let reader = InflatedDepthData(visitor)
        var rest = part[...]
        while !rest.isEmpty {
            try reader.update(rest.prefix(1 << 16))
            rest = rest.dropFirst(1 << 16)
        }
        return try reader.finish()
    }
}
