import CaptureProtocol
import Foundation
import Persistence
import TestSupport
import Testing

@testable import Gateway

@Suite("What became of an upload whose recording ended in an error, in memory and in PostgreSQL")
struct IntakeRepositoryTests {
    /// Ends a transaction that somebody waits for.
    private struct RolledBack: Error { let answer: Task<RecordingOutcome, Never> }

    @Test("a capture that was recorded, its answer lost, is found, and its bytes are its own", arguments: Backend.available)
    func recorded(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            _ = try await rig.record(id, by: device)
            #expect(await rig.intakes.outcome(of: id) == .recorded)
            // An intake of the same name exists again: the capture takes precedence.
            try await rig.intakes.open(id, device: device)
            #expect(await rig.intakes.outcome(of: id) == .recorded)
            #expect(try await rig.intakeIDs() == [id])
            #expect(try await rig.intakes.leave(id, to: CaptureID()), "it was not given up")
        }
    }

    @Test("an upload that recorded nothing is given up, and brings and records nothing more", arguments: Backend.available)
    func abandoned(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            try await rig.intakes.open(id, device: device)
            for _ in 0..<2 { #expect(await rig.intakes.outcome(of: id) == .abandoned) }
            #expect(try await !rig.intakes.leave(id, to: CaptureID()))
            try await rig.intakes.forget(id)
            let left = try await rig.intakeIDs()
            #expect(left.isEmpty)
        }
    }

    @Test(
        "nothing is stored of an upload while the database's time is more than a minute from the gateway's",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint), arguments: [-180.0, 180])
    func clocks(ahead: Double) async throws {
        try await GatewayDatabase.with(pools: 1) { pools in
            let device = try await CaptureRepositoryTests.insertDevice(pools[0])
            let intakes = PostgresIntakeRepository(database: pools[0]) { Date().addingTimeInterval(-ahead) }
            await #expect(throws: CaptureError.clocksDiffer) { _ = try await intakes.open(CaptureID(), device: device) }
            let sound = PostgresIntakeRepository(database: pools[0])
            try await sound.open(CaptureID(), device: device)
        }
    }

    @Test(
        "a transaction that is still under way is waited for, and what it comes to is what counts",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint), arguments: [true, false])
    func underWay(commits: Bool) async throws {
        try await GatewayDatabase.with(pools: 2) { pools in
            let (pool, asking) = (pools[0], pools[1])
            let device = try await CaptureRepositoryTests.insertDevice(pool)
            let (id, intakes) = (CaptureID(), PostgresIntakeRepository(database: pool))
            try await intakes.open(id, device: device)
            let answer: Task<RecordingOutcome, Never>
            do {
                answer = try await pool.withTransaction { connection in
                    #expect(try await PostgresIntakeRepository.take(id, on: connection))
                    try await connection.query(
                        """
                        INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at,
                            announcement)
                        VALUES (\(id.uuid), \(ShortID.random()), \(device.uuid), 'photo', 'full', \([UInt8](repeating: 1, count: 32)),
                            now(), now(), '{}')
                        """)
                    let answer = Task { await PostgresIntakeRepository(database: asking).outcome(of: id) }
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

    @Test("where the database does not say, nothing is taken for lost", arguments: Backend.available)
    func unknown(backend: Backend) async throws {
        try await backend.with { rig in
            // There is neither an intake nor a capture.
            #expect(await rig.intakes.outcome(of: CaptureID()) == .unknown)
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            try await rig.intakes.open(id, device: device)
            await rig.close()
            #expect(await rig.intakes.outcome(of: id) == .unknown)
        }
    }

    @Test("an upload that brings a capture's bytes once more is left to it, unless it was given up", arguments: Backend.available)
    func left(backend: Backend) async throws {
        try await backend.with { rig in
            let device = try await rig.insertDevice()
            let (id, known) = (CaptureID(), CaptureID())
            try await rig.intakes.open(id, device: device)
            #expect(try await rig.intakes.leave(id, to: known))
            #expect(try await rig.brought(by: id) == known)
            #expect(await rig.intakes.outcome(of: id) == .abandoned)
            #expect(try await !rig.intakes.leave(id, to: CaptureID()))
            #expect(try await rig.brought(by: id) == known)
            #expect(try await !rig.intakes.leave(CaptureID(), to: known))
        }
    }

    @Test("the objects of an upload are under its own prefix", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func prefix() async throws {
        try await GatewayDatabase.with { pool in
            let id = CaptureID()
            try await PostgresIntakeRepository(database: pool).open(id, device: try await CaptureRepositoryTests.insertDevice(pool))
            let row = try #require(try await pool.query("SELECT prefix FROM intakes").first)
            #expect(try row.get("prefix") == "captures/\(id)/")
        }
    }
}
