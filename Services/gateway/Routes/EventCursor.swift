import CaptureProtocol
import Foundation
import Models

/// The events a client has seen. Each event id lists all of them, so that a client that reconnects with it, to any instance and after any
/// order of arrival, gets the rest.
struct EventCursor: Sendable {
    private var seen: Set<String> = []

    /// - Parameter lastEventID: event names separated by dots; unknown names are ignored.
    init(_ lastEventID: String?) {
        let known = Set(
            ["processing", "hash_chain", "evidence", "failed", "final", "log"]
                + EvidencePart.allCases.flatMap { [$0.rawValue, $0.rawValue + "-error"] })
        seen = Set((lastEventID ?? "").prefix(200).split(separator: ".").map(String.init)).intersection(known)
    }

    /// The new events, in the event stream format.
    mutating func advance(_ row: CaptureRow, parts: [PartRow]) -> [String] {
        var events: [String?] = []
        if seen.insert("processing").inserted { events.append(event("status", StatusEvent(.processing))) }
        for part in parts {
            if !seen.contains(part.part.rawValue), let status = part.status(in: row, among: parts), seen.insert(part.token).inserted {
                events.append(event("check", CheckEvent(name: Self.checkName(part.part), status: status)))
            }
            // An event of its own: the stream may have broken off between the two.
            if let chain = part.chain, seen.insert("hash_chain").inserted {
                events.append(event("check", CheckEvent(name: "hash_chain", status: chain)))
            }
        }
        // A capture that failed may be repaired, and its verdict is told then.
        let end = row.status == .failed ? "failed" : "final"
        if row.status != .processing, !seen.contains(end) {
            if let evidence = row.publicEvidence, let json = try? WireJSON.encode(evidence), seen.insert("evidence").inserted {
                events.append(event("evidence", json: json))
            }
            seen.insert(end)
            events.append(event("status", StatusEvent(row.status, row.confidence)))
        }
        return events.compactMap(\.self)
    }

    /// Where the verdict stands in the log; `nil` if that was sent before, or if it is not in the log yet.
    mutating func advance(_ status: LogStatus) -> String? {
        guard status.isSettled || status.status == .logged, let json = try? WireJSON.encode(status), seen.insert("log").inserted else {
            return nil
        }
        return event("log", json: json)
    }

    /// The last event of a capture that is withdrawn while it is followed; later requests get 410.
    func withdrawn() -> String? { event("status", StatusEvent(.withdrawn)) }

    private func event(_ name: String, _ data: some Encodable) -> String? { (try? WireJSON.encode(data)).map { event(name, json: $0) } }

    private func event(_ name: String, json: [UInt8]) -> String {
        "id: \(seen.sorted().joined(separator: "."))\nevent: \(name)\ndata: \(String(decoding: json, as: UTF8.self))\n\n"
    }

    private static func checkName(_ part: EvidencePart) -> String {
        switch part {
        case .attestation: "hardware_attestation"
        case .depth: "depth_analysis"
        case .media: "media"
        }
    }
}

private struct StatusEvent: Encodable {
    let status: CaptureStatus
    let confidenceLevel: ConfidenceLevel?

    init(_ status: CaptureStatus, _ confidenceLevel: ConfidenceLevel? = nil) {
        self.status = status
        self.confidenceLevel = confidenceLevel
    }

    enum CodingKeys: String, CodingKey {
        case status
        case confidenceLevel = "confidence_level"
    }
}

private struct CheckEvent: Encodable {
    let name: String
    let status: CheckStatus
}
