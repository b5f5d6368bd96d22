import CaptureProtocol
import Delivery
import Models
import Observability
import Persistence

/// Captures in `captures`, their parts in `evidence_parts`; announced through the outbox.
struct PostgresAssemblyRepository: AssemblyRepository {
    let database: PostgresPool
    let outbox: Outbox
    let inbox: Inbox
    var maker = StatementMaker()

    /// Locks the capture's row.
    func take(_ part: EvidencePart, of capture: CaptureID, answering context: MessageContext) async throws -> TakenPart {
        try await database.withTransaction { connection in
            guard let row = try await CaptureTable(connection).find(capture, isHeld: true) else {
                throw RejectedMessage(.captureUnknown)
            }
            guard row.status != .withdrawn else {
                _ = try await inbox.accept(context.eventID, consumer: context.topic, on: connection)
                // An earlier attempt may have stored some objects.
                try await connection.objectsCameLate(of: capture)
                return .waiting
            }
            let isFinal = row.status == .complete
            let parts = try await EvidencePartTable(connection).take(part, of: capture, isFinal: isFinal)
            FailPoint.reached("evidence-assembler.part.stored")
            if !isFinal, let complete = try EvidenceParts(parts) { return .complete(try row.gathered(complete)) }
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return .waiting }
            guard !isFinal, let failure = parts.compactMap(\.reason).first, try await announce(failure, of: capture, on: connection)
            else {
                return .waiting
            }
            return .failed(failure)
        }
    }

    func park(_ capture: CaptureID, answering context: MessageContext) async throws {
        try await database.withTransaction { connection in
            try await CaptureTable(connection).resume(capture)
            _ = try await inbox.accept(context.eventID, consumer: context.topic, on: connection)
            // If it was withdrawn meanwhile: its share card may be stored.
            try await connection.objectsCameLate(of: capture)
        }
    }

    func complete(_ capture: CaptureID, _ assembled: AssembledCapture, answering context: MessageContext?) async throws -> Bool {
        let isNew = try await database.withTransaction { connection in
            let isFirst =
                if let context { try await inbox.accept(context.eventID, consumer: context.topic, on: connection) } else { true }
            guard isFirst, try await CaptureTable(connection).complete(capture, assembled.package, assembled.confidence) else {
                try await connection.objectsCameLate(of: capture)
                return false
            }
            FailPoint.reached("evidence-assembler.completed")
            if let issued = assembled.credentials { try await CredentialTable(connection).insert(capture, issued) }
            try await MediaObjectTable(connection).insert(assembled.objects, of: capture)
            let statements = StatementTable(connection)
            try await statements.insert(assembled.statement, of: capture)
            FailPoint.reached("evidence-assembler.stated")
            let revision = try await statements.revise(capture, by: maker)
            guard revision == nil || assembled.credentials == nil else { throw RevokedMeanwhile() }
            try await outbox.append(EvidenceAssembled.complete(capture, confidence: assembled.confidence), on: connection)
            FailPoint.reached("evidence-assembler.announced")
            return true
        }
        FailPoint.reached("evidence-assembler.committed")
        return isNew
    }

    func fail(_ capture: CaptureID, reason: FailureReason, on connection: PostgresConnection) async throws -> Bool {
        try await announce(StableWord(reason), of: capture, on: connection)
    }

    func fail(_ capture: CaptureID, reason: FailureReason) async throws -> Bool {
        try await database.withTransaction { try await announce(StableWord(reason), of: capture, on: $0) }
    }

    private nonisolated(nonsending) func announce(
        _ failure: StableWord<FailureReason>, of capture: CaptureID, on connection: PostgresConnection
    ) async throws -> Bool {
        guard try await CaptureTable(connection).fail(capture, reason: failure.text) else { return false }
        try await outbox.append(EvidenceAssembled.failed(capture, failure), on: connection)
        return true
    }

    func unsigned(limit: Int) async throws -> WaitingCaptures {
        try await database.withConnection { try await CaptureTable($0).unsigned(limit: limit) }
    }

    func gathered(_ capture: CaptureID) async throws -> GatheredCapture? {
        try await database.withConnection { connection in
            guard let row = try await CaptureTable(connection).find(capture), row.status == .processing,
                let parts = try EvidenceParts(try await EvidencePartTable(connection).all(of: capture))
            else { return nil }
            return try row.gathered(parts)
        }
    }
}
