import CaptureProtocol
import Foundation
import TransparencyLog

/// What a bundle proves, in plain words or as JSON.
struct BundleReportText {
    let report: BundleReport

    var text: String {
        var lines = [headline]
        var table = TextTable(indent: "  ")
        if let capture = report.capture { table.add("capture", "\(capture)") }
        // In any other outcome its content must not be presented as fact.
        if report.outcome == .proved || report.outcome == .untrusted, let verdict = report.verdict {
            table.add("confidence", verdict.confidence.rawValue.uppercased())
            if report.isDevelopmentAttestation { table.addTestRecord() }
            table.add("kind", "\(verdict.kind.type.rawValue), \(verdict.kind.mode.rawValue.replacing("_", with: " "))")
            let unsigned = report.isMetadataSigned ? "" : " (not signed)"
            table.add("captured", verdict.capturedAt.text.map { $0 + unsigned } ?? "not shared")
            table.add("received", verdict.receivedAt.text ?? "not shared")
            table.add("SHA-256", verdict.media.hex)
        }
        if let entry = report.entry {
            table.add("log", "\(entry.origin), entry \(entry.index) of \(entry.treeSize)")
            if let time = witnessedAt(entry) { table.add("witnessed by", Timestamp.format(time)) }
            if let time = entry.stampedAt { table.add("time stamp", Timestamp.format(time)) }
        }
        if let revocation = report.revocation {
            table.add("taken back", "\(Timestamp.format(Self.date(revocation.time))), \(revocation.reason)")
        }
        if !table.text.isEmpty { lines.append(table.text) }
        lines += section("Wrong:") { if case .failed = $0 { true } else { false } }
        lines += section("Not vouched for by anybody who is trusted here:") { if case .untrusted = $0 { true } else { false } }
        lines += section("Checked:") { if case .passed = $0 { true } else { false } }
        lines += list("Not checked:", report.notChecked)
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        switch report.outcome {
        case .proved where report.entry?.witnessedAt == nil:
            "PROVED: this verdict is in the public log. The policy asks for no witnesses, so it takes the log's own word."
        case .proved: "PROVED: this verdict stood in the public log, and witnesses of the policy saw it there."
        case .wrong where report.revocation != nil:
            "TAKEN BACK: the log says that the verdict no longer counts, or something else is wrong."
        case .wrong: "WRONG: something in this bundle does not hold, so nothing in it can be relied on."
        case .unreadable: "UNREADABLE: this is not an evidence bundle."
        case .untrusted: "SOUND, BUT NOT PROVED: nothing contradicts it, but not all of it is vouched for by whom you trust."
        }
    }

    private func section(_ title: String, _ isOf: (Finding) -> Bool) -> [String] {
        list(title, report.checks.map(\.finding).filter(isOf).map(\.sentence))
    }

    private func list(_ title: String, _ sentences: [String]) -> [String] {
        sentences.isEmpty ? [] : ["", title] + sentences.map { "  - " + TextTable.printable($0) }
    }

    private struct Body: Encodable {
        struct Check: Encodable {
            let name: String
            let statement: Int?
            let result: String
            let sentence: String
        }
        struct Entry: Encodable {
            let origin: String
            let index: UInt64
            let treeSize: UInt64
            let witnessedAt: Date?
            let stampedAt: Date?

            enum CodingKeys: String, CodingKey {
                case origin, index
                case treeSize = "tree_size"
                case witnessedAt = "witnessed_at"
                case stampedAt = "stamped_at"
            }
        }
        struct Revocation: Encodable {
            let reason: String
            let at: Date
        }
        let outcome: String
        let capture: CaptureID?
        let confidence: String?
        let developmentAttestation: Bool?
        let media: String?
        let log: Entry?
        let revocation: Revocation?
        let checks: [Check]
        let notChecked: [String]

        enum CodingKeys: String, CodingKey {
            case outcome, capture, confidence, media, log, revocation, checks
            case developmentAttestation = "development_attestation"
            case notChecked = "not_checked"
        }
    }

    func json() throws -> String {
        let isBelievable = report.outcome == .proved || report.outcome == .untrusted
        let body = Body(
            outcome: report.outcome.rawValue, capture: report.capture,
            confidence: isBelievable ? report.verdict?.confidence.rawValue : nil,
            developmentAttestation: isBelievable && report.verdict != nil ? report.isDevelopmentAttestation : nil,
            media: isBelievable ? report.verdict?.media.hex : nil,
            log: report.entry.map {
                Body.Entry(
                    origin: $0.origin.text, index: $0.index, treeSize: $0.treeSize, witnessedAt: witnessedAt($0), stampedAt: $0.stampedAt)
            },
            revocation: report.revocation.map { Body.Revocation(reason: $0.reason, at: Self.date($0.time)) },
            checks: report.checks.map {
                Body.Check(name: $0.name.rawValue, statement: $0.statement, result: $0.finding.word, sentence: $0.finding.sentence)
            },
            notChecked: report.notChecked)
        return String(decoding: try WireJSON.encode(body), as: UTF8.self)
    }

    private func witnessedAt(_ entry: BundleReport.Entry) -> Date? {
        entry.witnessedAt.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    private static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

extension Finding {
    /// For scripts.
    var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .untrusted: "untrusted"
        case .notChecked: "not_checked"
        }
    }
}
