import CaptureProtocol
import Foundation
import Models
import Synchronization

@testable import RialCLI

/// The rows of a database in memory, as services write them.
final class MemoryBackupRows: BackupRows {
    struct Capture {
        var status = CaptureStatus.processing
        var failure: String?
        /// `nil` once it is withdrawn, as ``completedAt`` is.
        var receivedAt: Date?
        var completedAt: Date?
        /// What the device sent, by where it is to be.
        var uploads: [NamedObject] = []
        /// What upload-sync stores of a hash-only capture.
        var payload: NamedObject?
        var objects: [NamedObject] = []
        /// What upload-sync has done: compared the media, deleted what no row names, deleted the media of a failed capture.
        var isSynced = false
        var isSwept = false
        var isExpired = false
        /// Whether it noted only that it could not compare the media.
        var isGivenUp = false
        /// Whether its device's attestation was verified.
        var isVerified = false
    }

    struct Withdrawal {
        let withdrawnAt: Date
        /// That became the capture.
        var uploads: [UUID] = []
        var isErased = false
    }

    /// An upload that can be resumed.
    struct Upload {
        var segments: [NamedObject] = []
        var isOpen = true
        var isEmptied = false
    }

    struct State {
        var captures: [UUID: Capture] = [:]
        var withdrawals: [UUID: Withdrawal] = [:]
        /// When each began.
        var intakes: [UUID: Date] = [:]
        /// Those of them that bring the bytes of a known capture, or were abandoned.
        var idle: Set<UUID> = []
        var uploads: [UUID: Upload] = [:]
        /// When each was registered.
        var devices: [Date] = []
        var shards: Set<String> = []
        var largestPage = 0
        /// Runs before the folder is looked at again.
        var beforeLookingAgain: @Sendable (BackupFolder) async -> Void = { _ in }
    }

    let state = Mutex(State())

    func edge() async throws -> DatabaseEdge {
        state.withLock { state in
            let received = state.captures.compactMap { id, capture in capture.receivedAt.map { (id: CaptureID(id), receivedAt: $0) } }
            var times: [Date] = state.devices + received.map { $0.receivedAt } + state.captures.values.compactMap(\.completedAt)
            times += state.withdrawals.values.map(\.withdrawnAt)
            times += state.intakes.values
            return DatabaseEdge(newestCapture: received.max { $0.receivedAt < $1.receivedAt }, newestRow: times.max())
        }
    }

    func page(of kind: BackupFolder.Kind, after: UUID?, limit: Int) async throws -> [KnownFolder] {
        state.withLock { state in
            let first = after.map { BackupFolder(kind, $0) }
            let page = state.listed(kind).sorted().filter { folder in first.map { $0 < folder } ?? true }.prefix(limit)
                .compactMap { state.listed($0) }
            state.largestPage = max(state.largestPage, page.count)
            return page
        }
    }

    func folder(_ folder: BackupFolder) async throws -> KnownFolder? {
        await state.withLock { $0.beforeLookingAgain }(folder)
        return state.withLock { state in
            if let listed = state.listed(folder) { return listed }
            let known = state.erasures(folder.id)
            guard !known.isEmpty else { return nil }
            if known.contains(true) { return KnownFolder(folder: folder, others: .withdrawn) }
            let start = folder.kind == .captures && !state.idle.contains(folder.id) ? state.intakes[folder.id] : nil
            return KnownFolder(folder: folder, others: start.map { .uploading(since: $0) } ?? .allowed)
        }
    }

    func hasShard(_ name: String) async throws -> Bool { state.withLock { $0.shards.contains(name) } }

    func captures(receivedAfter time: Date) async throws -> Int {
        state.withLock { state in
            state.captures.values.count { capture in !capture.objects.isEmpty && capture.receivedAt.map { $0 > time } ?? false }
        }
    }
}

extension MemoryBackupRows.State {
    /// The folders that pages have.
    fileprivate func listed(_ kind: BackupFolder.Kind) -> [BackupFolder] {
        switch kind {
        case .captures: captures.keys.map { BackupFolder(kind, $0) }
        case .incoming: uploads.filter { $0.value.isOpen }.keys.map { BackupFolder(kind, $0) }
        }
    }

    fileprivate func listed(_ folder: BackupFolder) -> KnownFolder? {
        switch folder.kind {
        case .captures:
            guard let capture = captures[folder.id] else { return nil }
            return KnownFolder(
                folder: folder, named: capture.named, others: others(capture, of: folder.id), receivedAt: capture.receivedAt)
        case .incoming:
            guard let upload = uploads[folder.id], upload.isOpen else { return nil }
            return KnownFolder(folder: folder, named: upload.segments)
        }
    }

    private func others(_ capture: MemoryBackupRows.Capture, of id: UUID) -> KnownFolder.Others {
        switch capture.status {
        case .withdrawn: withdrawals[id]?.isErased == true ? .withdrawn : .allowed
        case .complete: capture.isSwept ? .left : .allowed
        case .processing, .failed: .allowed
        }
    }

    /// Of everything with this id, whether it belongs to a capture that was erased.
    fileprivate func erasures(_ id: UUID) -> [Bool] {
        var known: [Bool] = []
        if intakes[id] != nil { known.append(false) }
        if let upload = uploads[id], !upload.isEmptied { known.append(false) }
        if captures[id] != nil { known.append(withdrawals[id]?.isErased == true) }
        return known + withdrawals.values.filter { $0.uploads.contains(id) }.map(\.isErased)
    }
}

extension MemoryBackupRows.Capture {
    fileprivate var named: [NamedObject] {
        var named = objects
        if hasUploads { named += uploads }
        if hasPayload, let payload { named.append(payload) }
        return named
    }

    private var hasUploads: Bool {
        let isLost = failure == FailureReason.intakeMissing.rawValue || failure == FailureReason.digestMismatch.rawValue
        return status == .processing || status == .failed && isSynced && !isExpired && !expires && !isLost
    }

    /// Whether upload-sync deletes its media now.
    private var expires: Bool {
        let oldest = Date(timeIntervalSinceNow: -30 * 86_400)
        return status == .failed && !isVerified && receivedAt.map { $0 < oldest } ?? false
    }

    private var hasPayload: Bool {
        let latest = Date(timeIntervalSinceNow: -PostgresBackupRows.longestSync)
        return switch status {
        case .processing: isSynced && !isGivenUp || receivedAt.map { $0 < latest } ?? false
        case .failed: isSynced && !isGivenUp && !isExpired && !expires
        case .complete, .withdrawn: false
        }
    }
}
