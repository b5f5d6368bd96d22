/// Splits a multipart/form-data body into parts while it streams (RFC 7578, RFC 2046 §5.1.1).
///
/// Feed it the body in any chunks and call ``finish()`` at its end. It holds back at most a delimiter's length of bytes and one
/// part's headers. After an error it must not be fed again.
public struct MultipartParser: Sendable {
    /// What was read: for each part its headers, its bytes in any number of slices, and its end.
    public enum Event: Sendable, Equatable {
        case partBegan(PartHeaders)
        case partData(ArraySlice<UInt8>)
        case partEnded
    }

    private enum State: Sendable {
        case preamble
        /// After a delimiter: CRLF begins a part, "--" ends the body.
        case afterDelimiter
        case headers
        case body
        case epilogue
    }

    private let limits: MultipartLimits
    /// CRLF "--" boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// Bytes not yet consumed. A CRLF is put before the body, so that the first delimiter looks like the others.
    private var held: [UInt8] = [0x0d, 0x0a]
    /// How many of them are known not to begin the end of a part's headers.
    private var scanned = 0
    private var stray = 0
    private var parts = 0

    public init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        delimiter = [0x0d, 0x0a, 0x2d, 0x2d] + boundary.bytes
    }

    /// Parses the next bytes and passes the events that they complete to `sink`. The slices stay valid as long as the caller keeps them.
    /// - Throws: ``MultipartError``, and what `sink` throws.
    public mutating func feed(_ bytes: [UInt8], _ sink: (Event) throws -> Void) throws {
        var all: [UInt8] = []
        swap(&all, &held)
        if all.isEmpty { all = bytes } else { all += bytes }
        var input = all[...]
        while try step(&input, sink) {}
        // However small the pieces are, headers are not copied for each.
        held = input.count == all.count ? all : Array(input)
    }

    /// How many bytes at the beginning of what comes next are certainly content of the part, whatever follows. A caller may take them as
    /// they are and feed only the rest, so that large parts are not copied into arrays.
    public func leadingContent(in bytes: UnsafeRawBufferPointer) -> Int {
        guard case .body = state, held.isEmpty else { return 0 }
        return DelimiterSearch.find(delimiter, in: bytes).position
    }

    /// - Throws: ``MultipartError/truncated`` unless the closing delimiter was seen.
    public func finish() throws(MultipartError) {
        guard case .epilogue = state else { throw .truncated }
    }

    /// - Returns: false if more input is needed.
    private mutating func step(_ input: inout ArraySlice<UInt8>, _ sink: (Event) throws -> Void) throws -> Bool {
        switch state {
        case .preamble:
            let (before, isFound) = split(&input)
            try tolerate(before.count)
            if isFound { state = .afterDelimiter }
            return isFound
        case .afterDelimiter:
            return try afterDelimiter(&input)
        case .headers:
            return try headers(&input, sink)
        case .body:
            let (data, isFound) = split(&input)
            if !data.isEmpty { try sink(.partData(data)) }
            if isFound {
                try sink(.partEnded)
                state = .afterDelimiter
            }
            return isFound
        case .epilogue:
            try tolerate(input.count)
            input = []
            return false
        }
    }

    private mutating func tolerate(_ count: Int) throws {
        stray += count
        // The CRLF put before the body is not the client's.
        guard stray <= limits.strayBytes + 2 else { throw MultipartError.strayBytes }
    }

    private mutating func afterDelimiter(_ input: inout ArraySlice<UInt8>) throws -> Bool {
        // Transport padding (RFC 2046) is white space before the line's end.
        while let first = input.first, first == 0x20 || first == 0x09 {
            input = input.dropFirst()
            try tolerate(1)
        }
        guard input.count >= 2 else { return false }
        let two = (input[input.startIndex], input[input.startIndex + 1])
        if two == (0x2d, 0x2d) {
            state = .epilogue
            stray = 0
            input = input.dropFirst(2)
        } else if two == (0x0d, 0x0a) {
            parts += 1
            guard parts <= limits.parts else { throw MultipartError.tooManyParts }
            state = .headers
            input = input.dropFirst(2)
        } else {
            throw MultipartError.malformed
        }
        return true
    }

    private mutating func headers(_ input: inout ArraySlice<UInt8>, _ sink: (Event) throws -> Void) throws -> Bool {
        guard let end = Self.endOfHeaders(in: input.prefix(limits.headerBytes), from: scanned) else {
            guard input.count < limits.headerBytes else { throw MultipartError.headerTooLarge }
            scanned = max(input.count - 3, 0)
            return false
        }
        scanned = 0
        let headers = try PartHeaderParser.parse(input[input.startIndex..<end])
        input = input[(end + 2)...]
        try sink(.partBegan(headers))
        state = .body
        return true
    }

    /// The index of the blank line's CRLF; the header lines are everything before it.
    /// - Parameter scanned: how many bytes at the beginning need not be looked at again.
    private static func endOfHeaders(in input: ArraySlice<UInt8>, from scanned: Int) -> Int? {
        if input.starts(with: [0x0d, 0x0a]) { return input.startIndex }
        var index = input.startIndex + scanned
        while index + 3 < input.endIndex {
            if input[index] == 0x0d, input[index + 1] == 0x0a, input[index + 2] == 0x0d, input[index + 3] == 0x0a {
                return index + 2
            }
            index += 1
        }
        return nil
    }

    /// Consumes everything up to and including the next delimiter; without one, everything that cannot be the start of one.
    private func split(_ input: inout ArraySlice<UInt8>) -> (before: ArraySlice<UInt8>, isFound: Bool) {
        let (position, isWhole) = DelimiterSearch.find(delimiter, in: input)
        let before = input[input.startIndex..<position]
        input = isWhole ? input[(position + delimiter.count)...] : input[position...]
        return (before, isWhole)
    }
}
