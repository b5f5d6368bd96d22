import CaptureProtocol
import RialClient

/// Follows a capture and prints the results of its checks.
struct CaptureWatcher {
    let client: APIClient
    /// Far above the half minute that the product promises.
    var timeout: Duration = .seconds(600)

    func follow(_ id: CaptureID) async throws -> CaptureRecord {
        try await client.watch(id, timeout: timeout) { event in
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

extension CaptureRecord {
    /// A table for people, or JSON for scripts.
    func report(asJSON: Bool) -> String { asJSON ? json.prettyText : EvidenceReport(capture: self).text }
}
