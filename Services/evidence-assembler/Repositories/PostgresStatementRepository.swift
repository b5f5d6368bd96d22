import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Statements in `statements`, what operators decided in `device_events`; announced through the outbox.
struct PostgresStatementRepository: StatementRepository {
    let database: PostgresPool
    let outbox: Outbox
    let inbox: Inbox
    var maker = StatementMaker()

    func unstated(after last: CaptureID?, limit: Int) async throws -> [CaptureID] {
        try await database.withConnection { connection in
            try await connection.query(
                """
                SELECT id FROM captures WHERE status = 'complete' AND stated_at IS NULL AND id > \(last?.uuid ?? UUID.least)
                ORDER BY id LIMIT \(limit)
                """
            ).map { CaptureID(try $0.get("id", as: UUID.self)) }
        }
    }

    func countUnstated() async throws -> Int64 {
        let rows = try await database.query("SELECT count(*) AS count FROM captures WHERE status = 'complete' AND stated_at IS NULL")
        return try rows.first?.get("count") ?? 0
    }

    func assess(_ capture: CaptureID) async throws -> [NewStatement] {
        try await database.withTransaction { connection in
            let captures = CaptureTable(connection)
            guard let held = try await captures.holdComplete(capture), !held.isStated else { return [] }
            let table = StatementTable(connection)
            guard let stated = try await table.stated(capture) else { return [] }
            let assessment = try maker.assessment(of: stated)
            try await table.insert(assessment, of: capture)
            try await captures.noteStated(capture)
            let revision = try await table.revise(capture, by: maker)
            try await announce(capture, held.confidence, on: connection)
            return [assessment, revision].compactMap(\.self)
        }
    }

    func revisedDevices() async throws -> [DeviceID] {
        try await database.query("SELECT DISTINCT device_id FROM device_events WHERE at > now() - interval '1 day'").map {
            DeviceID(try $0.get("device_id", as: UUID.self))
        }
    }

    func revisedDevices(after last: DeviceID?, limit: Int) async throws -> [DeviceID] {
        // From one device to the next by index, however many events each has.
        try await database.query(
            """
            WITH RECURSIVE revised (id) AS (
                (SELECT device_id FROM device_events WHERE device_id > \(last?.uuid ?? UUID.least) ORDER BY device_id LIMIT 1)
                UNION ALL
                SELECT (SELECT device_id FROM device_events WHERE device_id > revised.id ORDER BY device_id LIMIT 1)
                FROM revised WHERE revised.id IS NOT NULL)
            SELECT id FROM revised WHERE id IS NOT NULL LIMIT \(limit)
            """
        ).map { DeviceID(try $0.get("id", as: UUID.self)) }
    }

    func toRevise(of device: DeviceID, after last: CaptureID?, limit: Int) async throws -> [CaptureID] {
        try await database.withConnection { try await StatementTable($0).toRevise(of: device, after: last, limit: limit) }
    }

    func revise(_ capture: CaptureID) async throws -> NewStatement? {
        try await database.withTransaction { connection in
            guard let held = try await CaptureTable(connection).holdComplete(capture),
                let revision = try await StatementTable(connection).revise(capture, by: maker)
            else { return nil }
            try await announce(capture, held.confidence, on: connection)
            return revision
        }
    }

    private nonisolated(nonsending) func announce(_ capture: CaptureID, _ confidence: ConfidenceLevel?, on connection: PostgresConnection)
        async throws
    {
        try await outbox.append(EvidenceAssembled.complete(capture, confidence: confidence), on: connection)
    }

    func settle(_ context: MessageContext) async throws {
        _ = try await database.withTransaction { connection in
            try await inbox.accept(context.eventID, consumer: context.topic, on: connection)
        }
    }

    func noteLogged(_ capture: CaptureID, answering context: MessageContext) async throws {
        try await database.withTransaction { connection in
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return }
            try await StatementTable(connection).noteLogged(capture)
        }
    }

    func noteLogged(limit: Int) async throws -> Int {
        try await database.withConnection { try await StatementTable($0).noteLogged(limit: limit) }
    }
}
