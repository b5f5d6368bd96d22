import ArgumentParser
import CaptureProtocol
import Foundation
import Persistence

/// Has captures assessed again by the present methods (SPEC §14).
struct AdminReassess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reassess",
        abstract: "Has complete captures assessed again by the present methods.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase). depth-analyzer measures the stored bytes again, evidence-assembler assesses and \
            enters a `reassessment` into the public log where anything is different; the earlier verdict stays on the record's page. \
            Content Credentials that are signed stay as they are. With --method it goes through all captures in steps; interrupted, give \
            it again. Without an argument it lists what was asked for and not carried out.
            """)

    @Argument(help: "The capture's id.")
    var id: CaptureID?
    @Option(help: "Every capture that was assessed by this method, such as relief-1.")
    var method: String?

    func validate() throws {
        if id != nil, method != nil { throw ValidationError("Give an id or --method, not both.") }
    }

    func run() async throws {
        let url = try OperatorSettings().databaseURL()
        if let id {
            try await StartupRetry(dependency: "PostgreSQL") {
                try await PostgresConnection.administering(url) { try await Self.request(id, $0) }
            }
            Console.result("capture \(id) will be assessed again")
        } else if let method {
            let count = try await MethodReassessment(captures: PostgresMethodCaptures(url: url)).request(by: method)
            Console.result("\(count) capture\(count == 1 ? "" : "s") by \(method) will be assessed again")
        } else {
            let open = try await StartupRetry(dependency: "PostgreSQL") { try await PostgresConnection.administering(url, Self.list) }
            Console.result(open)
        }
    }

    private static func request(_ id: CaptureID, _ connection: PostgresConnection) async throws {
        let rows = try await connection.query("SELECT status FROM captures WHERE id = \(id.uuid)")
        guard let status = try rows.first?.get("status", as: String.self) else { throw CommandFailure("There is no capture \(id).") }
        guard status == CaptureStatus.complete.rawValue else {
            throw CommandFailure("Capture \(id) is not complete, but \(status): there is no verdict to give again.")
        }
        try await connection.query("INSERT INTO reassessments (capture_id) VALUES (\(id.uuid)) \(SQL.renewingReassessment)")
    }

    private static func list(_ connection: PostgresConnection) async throws -> String {
        let rows = try await connection.query(
            """
            SELECT capture_id, requested_at, depth IS NOT NULL AS is_measured, outcome FROM reassessments
            WHERE outcome IS NULL OR outcome NOT IN ('reassessed', 'unchanged')
            ORDER BY settled_at DESC NULLS FIRST, requested_at LIMIT 10000
            """)
        guard !rows.isEmpty else { return "nothing is to be assessed again" }
        var table = TextTable(header: ["capture", "asked for", "state"])
        for row in rows {
            let state = try row.get("is_measured") ? "measured" : "waiting"
            table.add(
                CaptureID(try row.get("capture_id", as: UUID.self)).description, Timestamp.format(try row.get("requested_at")),
                try row.getOptional("outcome") ?? state)
        }
        return table.text
    }
}
