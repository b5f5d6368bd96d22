/// Splits the bytes that a PostgreSQL client sends into messages, and collects the statements of each transaction (manual, §55.7).
struct FrontendMessages {
    struct Message {
        let bytes: [UInt8]
        /// The statements of the transaction that this message commits; empty for any other message.
        let commits: [[String]]
    }

    private var buffer: [UInt8] = []
    /// Messages before the start-up message, and that message itself, have no type byte.
    private var isStarted = false
    private var prepared: [String: String] = [:]
    private var transaction: [String] = []

    mutating func append(_ bytes: [UInt8]) { buffer += bytes }

    /// The next complete message, unchanged; `nil` until more bytes are appended.
    mutating func next() -> Message? {
        let head = isStarted ? 1 : 0
        guard buffer.count >= head + 4 else { return nil }
        let length = buffer[head..<head + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, buffer.count >= head + length else { return nil }
        let bytes = Array(buffer.prefix(head + length))
        buffer.removeFirst(head + length)
        guard isStarted else {
            // Requests for encryption come before the start-up message, whose code is the protocol's version: 3.0.
            isStarted = bytes.count >= 8 && bytes[4..<8].elementsEqual([0, 3, 0, 0])
            return Message(bytes: bytes, commits: [])
        }
        return Message(bytes: bytes, commits: run(bytes[0], bytes.dropFirst(5)))
    }

    private mutating func run(_ type: UInt8, _ body: ArraySlice<UInt8>) -> [[String]] {
        // Names and statements end with a zero byte.
        let texts = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        switch type {
        case UInt8(ascii: "P") where texts.count > 1: prepared[texts[0]] = texts[1]
        case UInt8(ascii: "B") where texts.count > 1: return ran(prepared[texts[1]] ?? "")
        case UInt8(ascii: "Q"): return ran(texts.first ?? "")
        default: break
        }
        return []
    }

    private mutating func ran(_ statement: String) -> [[String]] {
        let word = statement.prefix(6).uppercased()
        if word.hasPrefix("BEGIN") {
            transaction = []
        } else if word == "COMMIT" {
            return [transaction]
        } else {
            transaction.append(statement)
        }
        return []
    }
}
