/// A `Range` header of one range (RFC 9110 §14.1.2).
enum MediaRange: Equatable {
    /// The whole object: no header, another unit, several ranges, or an invalid range.
    case whole
    case part(ClosedRange<Int64>)
    case unsatisfiable

    init(_ header: String?, sizeBytes: Int64) {
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else {
            self = .whole
            return
        }
        let bounds = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else {
            self = .whole
            return
        }
        // Digits only: `Int64` would accept a sign.
        guard bounds.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            self = .whole
            return
        }
        switch (Int64(bounds[0]), Int64(bounds[1])) {
        case (let first?, let last?) where first >= 0 && last >= first:
            self = first < sizeBytes ? .part(first...min(last, sizeBytes - 1)) : .unsatisfiable
        case (let first?, nil) where first >= 0 && bounds[1].isEmpty:
            self = first < sizeBytes ? .part(first...(sizeBytes - 1)) : .unsatisfiable
        case (nil, let suffix?) where bounds[0].isEmpty && suffix >= 0:
            self = suffix > 0 && sizeBytes > 0 ? .part(max(0, sizeBytes - suffix)...(sizeBytes - 1)) : .unsatisfiable
        default: self = .whole
        }
    }
}
