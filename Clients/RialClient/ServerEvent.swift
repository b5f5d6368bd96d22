/// One server-sent event (WHATWG HTML §9.2).
public struct ServerEvent: Sendable, Equatable {
    public let id: String?
    /// `status`, `check` or `evidence`.
    public let name: String
    public let data: String

    public init(id: String?, name: String, data: String) {
        self.id = id
        self.name = name
        self.data = data
    }
}

/// Parses a stream of bytes into events. Comments, such as heartbeats, are skipped.
struct ServerEventParser {
    /// Far above the largest event, the evidence with a few kilobytes.
    static let maximumEventBytes = 1024 * 1024

    private(set) var lastEventID: String?
    private var line: [UInt8] = []
    private var name = ""
    private var data: [String] = []
    private var dataBytes = 0
    private var endedByReturn = false

    /// - Throws: ``APIFailure`` `invalidResponse` if an event is too long.
    mutating func feed(_ bytes: some Sequence<UInt8>) throws -> [ServerEvent] {
        var events: [ServerEvent] = []
        for byte in bytes {
            let followsReturn = endedByReturn
            endedByReturn = byte == 0x0D
            // CR LF is a single line end.
            if byte == 0x0A, followsReturn { continue }
            if byte == 0x0A || byte == 0x0D {
                if let event = endLine() { events.append(event) }
                continue
            }
            line.append(byte)
            guard line.count + dataBytes <= Self.maximumEventBytes else {
                throw APIFailure(.invalidResponse, "an event is longer than \(Self.maximumEventBytes) bytes")
            }
        }
        return events
    }

    private mutating func endLine() -> ServerEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = text
        case "data":
            data.append(text)
            dataBytes += value.count + 1
        case "id" where !value.contains(0): lastEventID = text
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> ServerEvent? {
        defer {
            name = ""
            data = []
            dataBytes = 0
        }
        guard !data.isEmpty else { return nil }
        return ServerEvent(id: lastEventID, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
