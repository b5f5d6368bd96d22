import Foundation
import ObjectStorage
import Synchronization
import Testing

@testable import EvidenceAssembler

@Suite("Filling in what rows of before lack")
struct BackfillTests {
    /// Fills rows 1…`count`, three at a time.
    private func fill(_ count: Int, _ fill: @escaping (Int) throws -> Void = { _ in }) async throws -> (filled: [Int], logged: [Int]) {
        let seen = Mutex((filled: [Int](), logged: [Int]()))
        let backfill = Backfill<Int>(batchSize: 3) { last in
            Array(((last ?? 0) + 1...count + 1).dropLast().prefix(3))
        } fill: { row in
            try fill(row)
            seen.withLock { $0.filled.append(row) }
        } log: { row, _ in
            seen.withLock { $0.logged.append(row) }
        }
        try await backfill.run()
        return seen.withLock { $0 }
    }

    @Test("goes once through all of them, in batches", arguments: [0, 1, 3, 7, 9])
    func all(count: Int) async throws {
        let (filled, logged) = try await fill(count)
        #expect(filled == Array(1...count + 1).dropLast() && logged.isEmpty)
    }

    @Test("passes by objects that cannot be read, up to two in a row")
    func skips() async throws {
        let away: Set = [1, 2, 4, 5, 7]
        let (filled, logged) = try await fill(8) { if away.contains($0) { throw ObjectStorageError(.unavailable, "away") } }
        #expect(filled == [3, 6, 8] && logged == [1, 2, 4, 5, 7])
    }

    @Test("ends after three in a row, and at once for what is no object's fault")
    func ends() async throws {
        await #expect(throws: ObjectStorageError.self) {
            try await fill(8) { if $0 > 4 { throw ObjectStorageError(.unavailable, "away") } }
        }
        await #expect(throws: CancellationError.self) { try await fill(8) { _ in throw CancellationError() } }
    }

    @Test("ends when its task is cancelled")
    func cancelled() async throws {
        let filled = Mutex<[Int]>([])
        let task = Task {
            try await fill(8) { row in
                filled.withLock { $0.append(row) }
                if row == 2 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        _ = try await task.value
        #expect(filled.withLock { $0 } == [1, 2])
    }
}
