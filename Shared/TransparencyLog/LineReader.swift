import CaptureProtocol

/// Takes text apart into lines that each end in LF. Works on bytes: to `String` CR LF is one character.
struct LineReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(Array(bytes)) }

    /// The next line without its LF; `nil` at the end, and if what is left has no LF.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0a) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    /// The rest of the next line, if it begins so; else nothing is read.
    mutating func next(after prefix: String) -> ArraySlice<UInt8>? {
        guard rest.starts(with: prefix.utf8) else { return nil }
        return next()?.dropFirst(prefix.utf8.count)
    }

    /// Hashes in base64, one a line, up to the empty line, which is read as well.
    /// - Returns: `nil` if a line is none, if there are more than `limit`, or if the empty line is missing.
    mutating func hashes(limit: Int) -> [ContentDigest]? {
        var hashes: [ContentDigest] = []
        while let line = next() {
            if line.isEmpty { return hashes }
            guard hashes.count < limit, let hash = ContentDigest(base64Line: line) else { return nil }
            hashes.append(hash)
        }
        return nil
    }
}

extension UInt64 {
    /// Reads decimal digits without sign and leading zero; `nil` for anything else and above 2^64 − 1.
    init?(decimal digits: some Collection<UInt8>) {
        guard let first = digits.first, digits.count <= 20, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeByOne) = shifted.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooLarge, !isTooLargeByOne else { return nil }
            value = sum
        }
        self = value
    }
}

enum CanonicalBase64 {
    /// Standard base64 with padding (RFC 4648 §4); `nil` for what does not encode back to itself.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard let bytes = Base64.decode(String(decoding: text, as: UTF8.self)), Base64.encode(bytes).utf8.elementsEqual(text) else {
            return nil
        }
        return bytes
    }
}

extension ContentDigest {
    init?(base64Line line: some Collection<UInt8>) {
        guard line.count == 44, let bytes = CanonicalBase64.decode(line) else { return nil }
        self.init(bytes: bytes)
    }

    var base64: String { Base64.encode(bytes) }
}
