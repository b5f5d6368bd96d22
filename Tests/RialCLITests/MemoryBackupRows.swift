import CaptureProtocol
import Foundation
import Synchronization

@testable import RialCLI

/// The rows of a database in memory.
final class MemoryBackupRows: BackupRows {
    struct State {
        var folders: [BackupFolder: KnownFolder] = [:]
        /// Only found when they are asked for.
        var hidden: [BackupFolder: KnownFolder] = [:]
        var shards: Set<String> = []
        var edge = DatabaseEdge()
        var pages = 0
        var largestPage = 0
        /// Runs before the folder is looked at again.
        var beforeLookingAgain: @Sendable (BackupFolder) async -> Void = { _ in }
    }

    let state = Mutex(State())

    func edge() async throws -> DatabaseEdge { state.withLock { $0.edge } }

    func page(of kind: BackupFolder.Kind, after: UUID?, limit: Int) async throws -> [KnownFolder] {
        state.withLock { state in
            let all = state.folders.values.filter { $0.folder.kind == kind }.sorted { $0.folder < $1.folder }
            let first = after.map { BackupFolder(kind, $0) }
            let page = Array(all.filter { folder in first.map { $0 < folder.folder } ?? true }.prefix(limit))
            state.pages += 1
            state.largestPage = max(state.largestPage, page.count)
            return page
        }
    }

    func folder(_ folder: BackupFolder) async throws -> KnownFolder? {
        await state.withLock { $0.beforeLookingAgain }(folder)
        return state.withLock { $0.folders[folder] ?? $0.hidden[folder] }
    }

    func hasShard(_ name: String) async throws -> Bool { state.withLock { $0.shards.contains(name) } }

    func captures(receivedAfter time: Date) async throws -> Int {
        state.withLock { $0.folders.values.count { $0.receivedAt.map { $0 > time } ?? false } }
    }
}
