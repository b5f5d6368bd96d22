import CaptureProtocol
import Foundation
import Persistence
import TestSupport
import Testing

@testable import Gateway

@Suite("What became of an upload whose recording ended in an error", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct IntakeRepositoryTests {
    /// Ends a transaction that somebody waits for.
    private struct RolledBack: Error { let answer: Task<IntakeRepository.Outcome, Never> }

    @Test("a capture that was recorded, its answer lost, is found, and its bytes are its own")
    func recorded() async throws {
        try await GatewayDatabase.with { pool in
            let device = try await CaptureRepositoryTests.insertDevice(pool)
            let id = CaptureID()
            _ = try await CaptureRepositoryTests.record(id, on: pool, device)
            #expect(await IntakeRepository(database: pool).outcome(of: id) == .recorded)
            // An intake row of the same name exists again: the capture takes precedence.
            try await IntakeRepository(database: pool).open(id, device: device)
            #expect(await IntakeRepository(database: pool).outcome(of: id) == .recorded)
            let rows = try await pool.query("SELECT abandoned_at FROM intakes WHERE id = \(id.uuid)")
            #expect(rows.count == 1)
            #expect(try rows.first?.getOptional("abandoned_at", as: Date.self) == nil)
        }
    }

    @Test("a transaction that is still under way is waited for, and what it comes to is what counts", arguments: [true, false])
    func underWay(commits: Bool) async throws {
        try await GatewayDatabase.with(pools: 2) { pools in
            let (pool, asking) = (pools[0], pools[1])
            let device = try await CaptureRepositoryTests.insertDevice(pool)
            let (id, intakes) = (CaptureID(), IntakeRepository(database: pool))
            try await intakes.open(id, device: device)
            let answer: Task<IntakeRepository.Outcome, Never>
            do {
                answer = try await pool.withTransaction { connection in
                    #expect(try await IntakeRepository.take(id, on: connection))
                    try await connection.query(
                        """
                        INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at,
                            announcement)
                        VALUES (\(id.uuid), \(ShortID.random()), \(device.uuid), 'photo', 'full', \([UInt8](repeating: 1, count: 32)),
                            now(), now(), '{}')
                        """)
                    let answer = Task { await IntakeRepository(database: asking).outcome(of: id) }
                    // The call blocks on the row that the transaction has locked.
                    try await waitForWaiter(behind: connection)
                    // Simulates the server ending the transaction without the client noticing.
                    if !commits { throw RolledBack(answer: answer) }
                    return answer
                }
            } catch let error as RolledBack {
                answer = error.answer
            }
            #expect(await answer.value == (commits ? .recorded : .abandoned))
        }
    }

    @Test("where the database does not say, nothing is taken for lost")
    func unknown() async throws {
        try await GatewayDatabase.with { pool in
            // There is neither an intake nor a capture.
            #expect(await IntakeRepository(database: pool).outcome(of: CaptureID()) == .unknown)
            await pool.shutdown()
            #expect(await IntakeRepository(database: pool).outcome(of: CaptureID()) == .unknown)
        }
    }

    @Test("an upload that brings a capture's bytes once more is left to it, unless it was given up")
    func left() async throws {
        try await GatewayDatabase.with { pool in
            let device = try await CaptureRepositoryTests.insertDevice(pool)
            let (id, known, intakes) = (CaptureID(), CaptureID(), IntakeRepository(database: pool))
            try await intakes.open(id, device: device)
            #expect(try await intakes.leave(id, to: known))
            let row = try #require(try await pool.query("SELECT brings, prefix FROM intakes").first)
            #expect(try row.get("brings", as: UUID.self) == known.uuid)
            #expect(try row.get("prefix") == "captures/\(id)/")
            _ = try await pool.query("UPDATE intakes SET abandoned_at = now()")
            #expect(try await !intakes.leave(id, to: known))
            #expect(try await !intakes.leave(CaptureID(), to: known))
        }
    }
}
