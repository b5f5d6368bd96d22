import CaptureProtocol
import Delivery
import Foundation
import TransparencyLog

@testable import TransparencyLogService

extension MemoryLog: PendingRepository {
    func add(_ capture: CaptureID, answering context: MessageContext) async throws {
        try write { rows in
            guard rows.answered.insert(context.eventID).inserted else { return }
            // The statement of a withdrawal has no capture's id.
            _ = rows.add { $0.capture == capture || $0.kind == .withdrawal && $0.capture == nil }
        }
    }

    func lookThrough() async throws -> Int {
        let minuteAgo = Date().timeIntervalSince1970 - 60
        // The time of a statement that is withheld is a future midnight.
        return try write { rows in rows.add { TimeInterval($0.time) < minuteAgo || $0.notBefore != nil } }
    }
}

extension MemoryLog: StatementRows {
    var pending: any PendingRepository { self }
    func waiting() async throws -> [[UInt8]] { rows.pending.map(\.commitment) }
    func make(_ statement: StatedLeaf) { change { $0.statements.append(statement) } }

    func withdraw(_ capture: CaptureID) {
        change { rows in
            let own = rows.statements.indices.filter { rows.statements[$0].capture == capture }
            guard let last = own.map({ rows.statements[$0] }).max(by: { $0.sequence < $1.sequence }),
                case .entry(_, _, let subject, let commitment) = last.leaf
            else { return }
            // As `rial_withdraw` does it: where the time is kept back, after the end of the day.
            let isHeld = own.contains { rows.statements[$0].notBefore != nil }
            let midnight = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 86_400)
            for index in own { rows.statements[index].capture = nil }
            let leaf = LogLeaf.entry(
                kind: .withdrawal, time: Int((isHeld ? midnight : Date()).timeIntervalSince1970), subject: subject,
                commitment: ContentDigest(of: commitment.bytes))
            rows.statements.append(
                StatedLeaf(
                    capture: nil, sequence: last.sequence + 1, leaf: leaf, notBefore: isHeld ? midnight.addingTimeInterval(1800) : nil))
        }
    }

    func ageStatements(by seconds: Int) {
        change { rows in
            for index in rows.statements.indices {
                guard case .entry(let kind, let time, let subject, let commitment) = rows.statements[index].leaf else { continue }
                rows.statements[index].leaf = .entry(kind: kind, time: time - seconds, subject: subject, commitment: commitment)
            }
        }
    }
}

extension MemoryLog.Rows {
    /// Lets statements wait that have no entry.
    /// - Returns: how many did not wait yet.
    fileprivate mutating func add(where isMeant: (StatedLeaf) -> Bool) -> Int {
        let meant = statements.filter { isMeant($0) && !commitments.contains($0.leaf.commitmentBytes) }
        let ordered = meant.sorted { ($0.time, $0.place, $0.sequence) < ($1.time, $1.place, $1.sequence) }
        var added = 0
        for one in ordered.prefix(10_000) {
            if add(one.leaf, notBefore: one.notBefore, at: Date()) { added += 1 }
        }
        return added
    }
}

extension StatedLeaf {
    fileprivate var kind: LogLeaf.Kind? { if case .entry(let kind, _, _, _) = leaf { kind } else { nil } }
    fileprivate var time: Int { if case .entry(_, let time, _, _) = leaf { time } else { 0 } }
    /// By which those of one time are ordered: without a capture last.
    fileprivate var place: String { capture?.description ?? "~" }
}
