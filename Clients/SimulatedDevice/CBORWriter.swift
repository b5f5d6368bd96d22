/// Writes the CBOR of App Attest objects, with definite, minimal lengths (RFC 8949 §4.2).
enum CBORWriter {
    static func text(_ value: String) -> [UInt8] { head(3, value.utf8.count) + Array(value.utf8) }
    static func bytes(_ value: [UInt8]) -> [UInt8] { head(2, value.count) + value }
    static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, items.count) + items.flatMap { $0 } }
    /// Keeps the order of the pairs.
    static func map(_ pairs: [(key: [UInt8], value: [UInt8])]) -> [UInt8] { head(5, pairs.count) + pairs.flatMap { $0.key + $0.value } }
    static func integer(_ value: Int) -> [UInt8] { value >= 0 ? head(0, value) : head(1, -1 - value) }

    private static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
        switch argument {
        case ..<24: [major << 5 | UInt8(argument)]
        case ..<256: [major << 5 | 24, UInt8(argument)]
        case ..<65_536: [major << 5 | 25, UInt8(argument >> 8), UInt8(argument & 0xff)]
        default:
            [major << 5 | 26] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: argument >> $0) }
        }
    }
}
