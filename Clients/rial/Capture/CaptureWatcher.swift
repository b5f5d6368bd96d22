import CaptureProtocol
import RialClient

/// Follows a capture and tells how its checks end.
struct CaptureWatcher {
    let client: APIClient
    /// The product promises half a minute.
    var limit: Duration = .seconds(600)

    func follow(_ id: CaptureID) async throws -> CaptureView {
        try await client.watch(id, limit: limit) { event in
            if let line = Self.line(for: event) { Console.progress(TextTable.printable(line)) }
        }
    }

    private static func line(for event: ServerEvent) -> String? {
        let json = try? JSONValue(parsing: Array(event.data.utf8))
        let status = json?["status"]?.string
        switch event.name {
        case "check": return "  \(json?["name"]?.string ?? "check"): \(status ?? "–")"
        case "status": return "  capture is \(status ?? "–")"
        default: return nil
        }
    }
}

extension CaptureView {
    /// For people, or the API's answer for scripts.
    func report(asJSON: Bool) -> String { asJSON ? json.prettyText : EvidenceReport(capture: self).text }
}
