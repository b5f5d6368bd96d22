import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import RialClient

struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Shows the captures in the store.")

    @Flag(help: "Print JSON.")
    var json = false
    @OptionGroup var options: QueueOptions

    func run() async throws {
        let snapshot = try await options.offline().snapshot()
        Console.result(json ? snapshot.json.prettyText : snapshot.table, isJSON: json)
    }
}

struct QueueWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Shows each change of a capture's state, until the command is ended.",
        discussion: "Beside `run` in another process.")

    @OptionGroup var options: QueueOptions

    func run() async throws {
        var shown: [LocalID: String] = [:]
        for try await snapshot in try await options.offline().snapshots {
            for queued in snapshot.captures {
                let line = queued.line
                if shown.updateValue(line, forKey: queued.capture.id) != line { Console.result(line) }
            }
        }
    }
}

extension QueueSnapshot {
    fileprivate var table: String {
        guard !captures.isEmpty || !damaged.isEmpty else { return "no captures" }
        var table = TextTable(header: ["id", "captured", "type", "mode", "state", "bytes", "server id", "result"])
        for each in captures {
            let capture = each.capture
            table.add(
                capture.id.description, Timestamp.format(capture.facts.capturedAt), capture.kind.type.rawValue, capture.mode.rawValue,
                each.state, String(each.totalBytes), capture.serverID?.description ?? "", each.result)
        }
        for id in damaged { table.add(id.description, "", "", "", "damaged", "", "", "its facts were changed; delete it") }
        guard usage.keptBytes > 0 else { return table.text }
        return table.text
            + "\n\(usage.bytes) bytes; \(usage.keptBytes) of them are originals in privacy mode, which stay until you delete them"
    }

    fileprivate var json: JSONValue {
        .array(captures.map(\.json) + damaged.map { .object(["id": .string($0.description), "state": .string("damaged")]) })
    }
}

extension QueuedCapture {
    fileprivate var line: String {
        ([capture.id.description, state] + [resumption, result].filter { !$0.isEmpty }).joined(separator: "  ")
    }

    /// The state in the store, or that the capture was withdrawn on the server.
    fileprivate var state: String { capture.isWithdrawn ? "withdrawn" : capture.state.rawValue }

    /// Where its upload went on after a break.
    private var resumption: String { resumedAt.map { "resumed at \($0)" } ?? "" }

    /// The server's decision, or why there is none.
    fileprivate var result: String {
        if let confidence = capture.facts.confidence { return confidence }
        if capture.state == .uploaded, let problem { return capture.hasContent ? "\(problem); `retry` sends it again" : problem }
        return capture.facts.failure.map { "\($0.code): \($0.message)" } ?? ""
    }

    /// Why the server has no decision on a capture that was sent; `nil` if it may still come.
    private var problem: String? {
        if capture.facts.failedOnServer == true { return "failed on the server" }
        return capture.facts.unknownOnServer == true ? "unknown to the server" : nil
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(capture.id.description), "position": .integer(capture.position), "mode": .string(capture.mode.rawValue),
            "type": .string(capture.kind.type.rawValue), "state": .string(state),
            "captured_at": .string(Timestamp.format(capture.facts.capturedAt)), "bytes": .integer(totalBytes),
            "failures": .integer(Int64(capture.failures)), "has_assertion": .bool(capture.hasAssertion),
        ]
        if let video = capture.facts.video {
            members["duration_ms"] = .integer(video.durationMilliseconds)
            members["is_partial"] = .bool(video.isPartial)
            members["signed_checkpoints"] = .integer(Int64(video.signedCheckpointCount))
        }
        if let storedBytes { members["stored_bytes"] = .integer(storedBytes) }
        if let resumedAt { members["resumed_at"] = .integer(resumedAt) }
        if let id = capture.serverID { members["capture_id"] = .string(id.description) }
        if let flags = capture.facts.flags {
            members["metadata_flags"] = .object([
                "location": .string(flags.location.rawValue), "timestamp": .string(flags.timestamp.rawValue),
                "device": .string(flags.device.rawValue),
            ])
        }
        if let link = capture.facts.link { members["verification_url"] = .string(link) }
        if let confidence = capture.facts.confidence { members["confidence_level"] = .string(confidence) }
        if let failure = capture.facts.failure {
            var told: [String: JSONValue] = ["code": .string(failure.code), "message": .string(failure.message)]
            if let details = failure.details { told["details"] = (try? JSONValue(parsing: Array(details.utf8))) ?? .string(details) }
            members["failure"] = .object(told)
        }
        return .object(members)
    }
}
