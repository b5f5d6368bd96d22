import CaptureProtocol
import Foundation
import Models
import Persistence
import Synchronization
import TransparencyLog

@testable import EvidenceAssembler

extension MemoryCaptures: ReassessmentRepository {
    func request(_ capture: CaptureID, _ depth: DepthFindings?) { state.withLock { $0.requests[capture] = (depth, nil) } }
    func outcome(of capture: CaptureID) -> String? { state.withLock { $0.requests[capture]?.outcome } }

    func measured(limit: Int) async throws -> [CaptureID] {
        state.withLock { state in
            let due = state.requests.filter { capture, request in
                request.depth != nil && request.outcome == nil && state.entries[capture]?.last != nil
            }
            return Array(due.keys.prefix(limit))
        }
    }

    func find(_ capture: CaptureID) async throws -> MeasuredCapture? {
        try state.withLock { state in
            guard let request = state.requests[capture], request.outcome == nil, let depth = request.depth,
                let entry = state.entries[capture], let package = entry.state.package, let parts = try EvidenceParts(entry.all)
            else { return nil }
            return MeasuredCapture(gathered: try state.gathered(entry, parts.measured(again: depth)), package: package)
        }
    }

    func settle(_ capture: CaptureID, _ verdict: RenewedVerdict) async throws -> ReassessmentOutcome? {
        try state.withLock { state in
            guard state.requests[capture]?.outcome == nil, var entry = state.entries[capture], let stored = entry.state.package,
                let last = entry.last
            else { return nil }
            var package = verdict.package
            package.contentCredentials = stored.contentCredentials.renewed(package.contentCredentials)
            var outcome = ReassessmentOutcome.reassessed
            if last.kind == .revocation {
                outcome = .revoked
            } else if package == stored, entry.confidence == verdict.confidence {
                outcome = .unchanged
            } else {
                entry.state.package = package
                entry.confidence = verdict.confidence
                entry.state.objects[.shareCard] = verdict.card.key
                entry.objects[.shareCard] = verdict.card.sha256
                entry.statements.append(try maker.reassessment(of: try entry.stated(), after: last))
                state.entries[capture] = entry
                state.announce(capture)
            }
            state.requests[capture]?.outcome = outcome.rawValue
            return outcome
        }
    }

    func refuse(_ capture: CaptureID, _ reason: FailureReason) async throws {
        state.withLock { $0.requests[capture]?.outcome = reason.rawValue }
    }
}
