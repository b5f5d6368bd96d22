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
            ["processing", "evidence", "failed", "final", "log"] + EvidencePart.allCases.flatMap { [$0.rawValue, $0.rawValue + "-error"] })
        seen = Set((lastEventID ?? "").prefix(200).split(separator: ".").map(String.init)).intersection(known)
    }

    /// The new events, in the event stream format.
    mutating func advance(_ row: CaptureRow, parts: [PartRow]) -> [String] {
        var events: [String] = []
        if seen.insert("processing").inserted { events.append(event("status", #"{"status":"processing"}"#)) }
        for part in parts where !seen.contains(part.part.rawValue) {
            guard let status = part.status(in: row, among: parts), seen.insert(part.token).inserted else { continue }
            events.append(event("check", #"{"name":"\#(Self.checkName(part.part))","status":"\#(status.rawValue)"}"#))
            if let chain = part.chain { events.append(event("check", #"{"name":"hash_chain","status":"\#(chain.rawValue)"}"#)) }
        }
        // A capture that failed may be repaired, and its verdict is told then.
        let end = row.status == .failed ? "failed" : "final"
        if row.status != .processing, !seen.contains(end) {
            if let evidence = row.publicEvidence, let json = try? WireJSON.encode(evidence), seen.insert("evidence").inserted {
                events.append(event("evidence", String(decoding: json, as: UTF8.self)))
            }
            seen.insert(end)
            let confidence = row.confidence.map { #","confidence_level":"\#($0.rawValue)""# } ?? ""
            events.append(event("status", #"{"status":"\#(row.status.rawValue)"\#(confidence)}"#))
        }
        return events
    }

    /// Where the verdict stands in the log; `nil` if that was sent before, or if it is not in the log yet.
    mutating func advance(_ status: LogStatus) -> String? {
        guard status.isSettled || status.status == .logged, let json = try? WireJSON.encode(status), seen.insert("log").inserted else {
            return nil
        }
        return event("log", String(decoding: json, as: UTF8.self))
    }

    /// The last event of a capture that is withdrawn while it is followed; later requests get 410.
    func withdrawn() -> String { event("status", #"{"status":"withdrawn"}"#) }

    private func event(_ name: String, _ data: String) -> String {
        "id: \(seen.sorted().joined(separator: "."))\nevent: \(name)\ndata: \(data)\n\n"
    }

    private static func checkName(_ part: EvidencePart) -> String {
        switch part {
        case .attestation: "hardware_attestation"
        case .depth: "depth_analysis"
        case .media: "media"
        }
    }
}
