public import Depth

/// Passes on the depth maps of ``DepthData`` as they come; one is held at a time.
///
/// `Gathered` has to be a value type. A stream may have to be read in two ways at first, until one of them fails (`InflatedStream`), and
/// each reading gathers in a copy of its own. So nothing is left of the reading that failed, and only maps whose digests are in the chain
/// are judged.
public struct DepthMaps<Gathered>: DepthDataVisitor {
    public private(set) var gathered: Gathered
    private let gather: (inout Gathered, DepthRecord, DepthMap) -> Void
    private var width = 0
    private var height = 0
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - gathered: what there is before the first map; a value, no class.
    ///   - gather: adds each record with its map, in order.
    public init(into gathered: Gathered, _ gather: @escaping (inout Gathered, DepthRecord, DepthMap) -> Void) {
        self.gathered = gathered
        self.gather = gather
    }

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
        if let map = try? DepthMap(width: width, height: height, metres: metres) { gather(&gathered, record, map) }
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
