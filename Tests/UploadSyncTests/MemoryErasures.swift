import CaptureProtocol
import Delivery
import Foundation
import Models
import Synchronization

@testable import UploadSync

/// The withdrawals of ``MemoryRows``.
struct MemoryErasures: ErasureRepository {
    let rows: MemoryRows

    func isWithdrawn(_ capture: CaptureID) async throws -> Bool { rows.now.withdrawals[capture] != nil }

    func due(limit: Int) async throws -> [CaptureID] {
        rows.batch(limit) { state in
            let due = state.withdrawals.filter { $0.value.eraseNextAt <= MemoryRows.time }.sorted {
                let (left, right) = ($0.value.erasedAt == nil ? 0 : 1, $1.value.erasedAt == nil ? 0 : 1)
                return (left, $0.value.eraseNextAt) < (right, $1.value.eraseNextAt)
            }.prefix(limit).map { $0.key }
            for capture in due { state.withdrawals[capture]?.look(in: 60) }
            return due
        }
    }

    func begin(_ capture: CaptureID) async throws -> ErasureLook {
        guard let withdrawal = rows.now.withdrawals[capture] else { throw RejectedMessage(.captureUnknown) }
        return ErasureLook(uploads: withdrawal.uploads, version: "\(withdrawal.version)")
    }

    func note(_ capture: CaptureID, _ look: ErasureLook, found: Int, answering context: MessageContext?) async throws {
        rows.state.withLock { state in
            state.notes.append(MemoryRows.Note(capture: capture, found: found, event: context?.eventID))
            if let context { state.answered.insert(context.eventID) }
            guard var withdrawal = state.withdrawals[capture], found > 0 || "\(withdrawal.version)" == look.version else { return }
            if found > 0 { withdrawal.foundAt = MemoryRows.time }
            let quiet = MemoryRows.time.timeIntervalSince(withdrawal.foundAt ?? withdrawal.withdrawnAt)
            if found == 0, quiet > 3600 {
                withdrawal.erasedAt = withdrawal.erasedAt ?? MemoryRows.time
                withdrawal.look(in: min(30 * 86_400, max(86_400, quiet)))
            } else {
                withdrawal.open()
                withdrawal.look(in: min(600, max(5, quiet)))
            }
            state.withdrawals[capture] = withdrawal
        }
    }

    func measure() async throws -> (open: Int64, seconds: Double) {
        let open = rows.now.withdrawals.values.filter { $0.erasedAt == nil }
        return (Int64(open.count), open.map(\.openedAt).min().map { MemoryRows.time.timeIntervalSince($0) } ?? 0)
    }
}

extension MemoryRows.Withdrawal {
    mutating func look(in seconds: Double) {
        eraseNextAt = MemoryRows.time.addingTimeInterval(seconds)
        version += 1
    }

    /// Is not erased any more.
    mutating func open() {
        if erasedAt != nil { openedAt = MemoryRows.time }
        erasedAt = nil
    }
}
