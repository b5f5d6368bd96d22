import Foundation
import TestSupport
import Testing
import TransparencyLog

@testable import ObjectStorage

extension LogTests {
    @Suite("A log whose database was set back", .timeLimit(.minutes(6)))
    struct SetBack {
        @Test("freezes, signs nothing, and goes on with all that it had signed once `rial log recover` brought it back")
        func recovered() async throws {
            let stack = try LocalStack.required()
            let watch = try LogWatch(stack)
            let load = try await StatementLoad(stack)
            let copy = stack.failPoints.appendingPathComponent("database").path
            try await stack.entered { try await load.add(20) }
            try await stack.atRest { try await stack.copyDatabase(to: copy) }
            try await stack.entered { try await load.add(20) }
            let (signed, size) = (try await watch.newestHead(), try await stack.sql("SELECT size FROM log_shards"))

            // A monitor would tell of it, rightly: the published log is shorter than it was.
            let lost = try await stack.without(["monitor"]) {
                // What earlier tests have left may have become statements as well.
                let before = try await stack.statementCount()
                try await stack.atRest { try await stack.restoreDatabase(from: copy) }
                let lost = try await before - stack.statementCount()
                #expect(lost >= 20)
                #expect(try await stack.sql("SELECT size FROM log_shards") != size)
                // As much as was lost, so that the tree would be as large, and another one.
                try await load.add(20)
                try await eventually("it is frozen") {
                    try await stack.sql("SELECT frozen_reason FROM log_shards WHERE frozen_at IS NOT NULL") == ["database_behind"]
                }
                try await eventually("it says so") {
                    let (status, text) = try await stack.admin("transparency-log", "/readyz")
                    let metrics = try await stack.admin("transparency-log", "/metrics").text
                    return status == 503 && text.contains("log") && metrics.contains("\nrial_log_frozen 1")
                }
                let status = await #expect(throws: LocalStack.CommandFailed.self) { try await stack.rial(["log", "status"]) }
                #expect(status?.output.contains("frozen: database_behind") == true)
                #expect(try await watch.newestHead() == signed, "nothing was signed")

                let said = try await stack.rial(["log", "recover"])
                #expect(said.contains("The log is recovered: \(signed.size) leaves, root \(signed.head.root)"), "\(said)")
                try await stack.entered { try await load.add(1) }
                return lost
            }
            try await eventually("it is ready") { try await stack.admin("transparency-log", "/readyz").status == 200 }
            await #expect(throws: LocalStack.CommandFailed.self, "it is not frozen") { _ = try await stack.rial(["log", "recover"]) }
            try await watch.during { try await stack.entered { try await load.add(20) } }
            // Statements were lost with the database; the log has their leaves.
            try await watch.expectSound(lost: lost)
        }
    }
}

extension LogWatch {
    /// The largest tree that was ever signed.
    fileprivate func newestHead() async throws -> Checkpoint { try #require(try await signed().max { $0.size < $1.size }) }
}

extension LocalStack {
    /// Waits after `work` until all statements are in the published log.
    fileprivate func entered(_ work: () async throws -> Void) async throws {
        try await work()
        try await eventually("all statements are published") {
            try await sql(
                """
                SELECT (SELECT count(*) FROM statements WHERE leaf_index IS NULL) + (SELECT sum(size - published_size) FROM log_shards)
                """) == ["0"]
        }
    }

    fileprivate func statementCount() async throws -> Int {
        try #require(Int(try await sql("SELECT count(*) FROM statements").first ?? ""))
    }

    fileprivate func atRest(_ work: () async throws -> Void) async throws {
        try await control("stop", "postgres")
        try await work()
        try await control("start", "postgres")
    }

    /// The folder of the database's files.
    func databaseFolder() throws -> String {
        try String(contentsOf: folder.appendingPathComponent("postgres.dir"), encoding: .utf8).trimmingCharacters(in: .newlines) + "/data"
    }

    fileprivate func copyDatabase(to copy: String) async throws {
        _ = try await Self.run("/usr/bin/env", ["cp", "-a", try databaseFolder(), copy], [:])
    }

    fileprivate func restoreDatabase(from copy: String) async throws {
        _ = try await Self.run("/usr/bin/env", ["rm", "-rf", try databaseFolder()], [:])
        _ = try await Self.run("/usr/bin/env", ["cp", "-a", copy, try databaseFolder()], [:])
    }
}
