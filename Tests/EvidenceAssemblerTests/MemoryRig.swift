import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import Synchronization
import TestSupport
import TransparencyLog

@testable import EvidenceAssembler

/// The handlers with repositories in memory.
struct MemoryRig: AssemblerRig {
    let captures = MemoryCaptures()
    let store = MemoryObjectStore()
    let issuer: ScriptedIssuer
    let underWay = CapturesUnderWay()
    private let unsigned = MemoryTaskLedger()
    private let waiting = MemoryTaskLedger()
    var credentials: any CredentialRepository { captures }
    var statements: any StatementRepository { captures }
    var reassessments: any ReassessmentRepository { captures }

    init() { issuer = ScriptedIssuer(store) }

    func ledger(_ task: String) -> any TaskLedger { task == "unsigned captures" ? unsigned : waiting }
    func ageLedgers() async throws { for ledger in [unsigned, waiting] { ledger.age() } }

    func inTransaction(_ body: @escaping @Sendable (MemoryTransaction) async throws -> Void) async throws {
        let transaction = MemoryTransaction()
        try await body(transaction)
        transaction.commit()
    }

    func accept(_ announcement: CaptureAnnouncement) async throws { captures.accept(announcement) }
    func answer(_ part: EvidencePart, _ result: PostgresJSON?, failure: FailureReason?, of capture: CaptureID) async throws {
        captures.answer(StoredPart(part: part, result: result, reason: failure.map(StableWord.init)), of: capture)
    }
    func redate(_ capture: CaptureID, to time: SharedTime) async throws { captures.redate(capture, time) }
    func age(_ capture: CaptureID, seconds: Int) async throws { captures.age(capture, seconds) }
    func state(of capture: CaptureID) async throws -> CaptureState { captures.state(of: capture) }
    func announced(for capture: CaptureID) async throws -> [EvidenceAssembled] { captures.announced(for: capture) }
    func made(about capture: CaptureID) async throws -> [KeptStatement] { captures.made(about: capture) }
    func forgetStatements(about capture: CaptureID) async throws { captures.forgetStatements(about: capture) }
    func decide(_ action: String, since: Date?, about device: DeviceID) async throws { captures.decide(action, since, device) }
    func ageDecisions(about device: DeviceID) async throws { captures.ageDecisions(device) }
    func log(_ statements: [KeptStatement], isPublished: Bool) async throws { captures.log(statements, isPublished) }
    func ageStatements(about capture: CaptureID) async throws { captures.ageStatements(about: capture) }
    func request(reassessmentOf capture: CaptureID, measured: DepthFindings?) async throws { captures.request(capture, measured) }
    func outcome(of capture: CaptureID) async throws -> String? { captures.outcome(of: capture) }
    func add(undigested credentials: UndigestedCredentials) async throws { captures.add(undigested: credentials) }
    func digests(of capture: CaptureID) async throws -> CopyDigests? { captures.digests(of: capture) }
}

/// Captures, their parts and their credentials in memory.
final class MemoryCaptures: AssemblyRepository, CredentialRepository {
    struct Entry {
        /// How many were received before it.
        let number: Int
        let announcement: CaptureAnnouncement
        /// When its row says that it was captured.
        var rowCapturedAt: SharedTime
        var answers: [EvidencePart: StoredPart] = [:]
        var parts: [EvidencePart: StoredPart] = [:]
        /// How old the last part is.
        var seconds = 0
        var state = CaptureState()
        var confidence: ConfidenceLevel?
        var credentials: IssuedCredentials?
        var objects: [MediaName: ContentDigest] = [:]
        var statements: [NewStatement] = []
        var areStatementsAged = false

        var all: [StoredPart] { parts.values.sorted { $0.part.rawValue < $1.part.rawValue } }
        var isUnsigned: Bool {
            state.status == .processing && seconds > (announcement.content.kind == .video ? 180 : 5)
                && parts.values.filter { $0.result != nil }.count == 3
        }
        var isWaiting: Bool { state.package?.contentCredentials.status == .pending && last?.kind != .revocation }
    }

    struct State {
        var entries: [CaptureID: Entry] = [:]
        var answered: Set<EventID> = []
        var announced: [EvidenceAssembled] = []
        var decisions: [(action: String, since: Date?, device: DeviceID)] = []
        /// Devices about which all was decided days ago.
        var agedDecisions: Set<DeviceID> = []
        /// Devices whose captures cannot be looked for.
        var failures: [DeviceID: any Error] = [:]
        /// The published log by commitment, and what is not published.
        var log: [ContentDigest: (index: Int, isPublished: Bool)] = [:]
        var noted: [ContentDigest: Int] = [:]
        var requests: [CaptureID: (depth: DepthFindings?, outcome: String?)] = [:]
        /// Credentials of a version that recorded no digests, and the digests saved since.
        var undigested: [UndigestedCredentials] = []
        var digests: [CaptureID: CopyDigests] = [:]
        var withoutDigests: [UndigestedCredentials] { undigested.filter { digests[$0.capture] == nil } }

        func gathered(_ entry: Entry, _ parts: EvidenceParts) throws -> GatheredCapture {
            try GatheredCapture(
                announcement: entry.announcement, mediaHash: entry.announcement.content.mediaHash, capturedAt: entry.rowCapturedAt,
                parts: parts, isRevoked: isRevoked(entry))
        }

        mutating func fail(_ capture: CaptureID, _ reason: StableWord<FailureReason>) -> Bool {
            guard let state = entries[capture]?.state, state.status != .complete, state.failure != reason.text else { return false }
            entries[capture]?.state.status = .failed
            entries[capture]?.state.failure = reason.text
            announced.append(EvidenceAssembled(captureID: capture, status: .failed, confidenceLevel: nil, failure: reason))
            return true
        }
    }

    let state = Mutex(State())
    let maker = StatementMaker()

    func accept(_ announcement: CaptureAnnouncement) {
        let capturedAt = StoredCapture.capturedAt(announcement)
        state.withLock { state in
            state.entries[announcement.captureID] = Entry(
                number: state.entries.count, announcement: announcement, rowCapturedAt: capturedAt)
        }
    }
    func redate(_ capture: CaptureID, _ time: SharedTime) { state.withLock { $0.entries[capture]?.rowCapturedAt = time } }
    func answer(_ part: StoredPart, of capture: CaptureID) { state.withLock { $0.entries[capture]?.answers[part.part] = part } }
    func age(_ capture: CaptureID, _ seconds: Int) { state.withLock { $0.entries[capture]?.seconds += seconds } }
    func state(of capture: CaptureID) -> CaptureState { state.withLock { $0.entries[capture]?.state ?? CaptureState() } }
    func announced(for capture: CaptureID) -> [EvidenceAssembled] { state.withLock { $0.announced.filter { $0.captureID == capture } } }
    func add(undigested credentials: UndigestedCredentials) { state.withLock { $0.undigested.append(credentials) } }
    func digests(of capture: CaptureID) -> CopyDigests? { state.withLock { $0.digests[capture] } }

    func take(_ part: EvidencePart, of capture: CaptureID, answering context: MessageContext) async throws -> TakenPart {
        try state.withLock { state in
            guard var entry = state.entries[capture] else { throw RejectedMessage(.captureUnknown) }
            let isFinal = entry.state.status == .complete
            if let answer = entry.answers[part], Self.replaces(entry.parts[part], answer, isFinal: isFinal) {
                entry.parts[part] = answer
                entry.seconds = 0
                state.entries[capture] = entry
            }
            if !isFinal, let parts = try EvidenceParts(entry.all) { return .complete(try state.gathered(entry, parts)) }
            guard state.answered.insert(context.eventID).inserted else { return .waiting }
            guard !isFinal, let failure = entry.all.compactMap(\.reason).first, state.fail(capture, failure) else { return .waiting }
            return .failed(failure)
        }
    }

    private static func replaces(_ stored: StoredPart?, _ answer: StoredPart, isFinal: Bool) -> Bool {
        guard let stored else { return true }
        guard let result = stored.result else { return answer.result != nil || answer.reason?.text != stored.reason?.text }
        return answer.part != .attestation && !isFinal && answer.result.map { $0.bytes != result.bytes } ?? false
    }

    func park(_ capture: CaptureID, answering context: MessageContext) async throws {
        state.withLock { state in
            if state.entries[capture]?.state.status == .failed {
                state.entries[capture]?.state.status = .processing
                state.entries[capture]?.state.failure = nil
            }
            state.answered.insert(context.eventID)
        }
    }

    func complete(_ capture: CaptureID, _ assembled: AssembledCapture, answering context: MessageContext?) async throws -> Bool {
        try state.withLock { state in
            if let context, state.answered.contains(context.eventID) { return false }
            let isComplete = state.entries[capture]?.state.status == .complete
            if !isComplete, assembled.credentials != nil, let entry = state.entries[capture], state.isRevoked(entry) {
                throw RevokedMeanwhile()
            }
            if let context { state.answered.insert(context.eventID) }
            guard !isComplete else { return false }
            state.entries[capture]?.state = CaptureState(
                status: .complete, package: assembled.package, objects: assembled.objects.mapValues(\.key))
            state.entries[capture]?.confidence = assembled.confidence
            state.entries[capture]?.credentials = assembled.credentials
            state.entries[capture]?.objects = assembled.objects.mapValues(\.sha256)
            state.entries[capture]?.statements = [assembled.statement]
            _ = try state.revise(capture, maker)
            state.announced.append(
                EvidenceAssembled(captureID: capture, status: .complete, confidenceLevel: assembled.confidence, failure: nil))
            return true
        }
    }

    func fail(_ capture: CaptureID, reason: FailureReason, on transaction: MemoryTransaction) async throws -> Bool {
        let isNew = state.withLock { state in
            guard let known = state.entries[capture]?.state else { return false }
            return known.status != .complete && known.failure != reason.rawValue
        }
        transaction.write { [self] in state.withLock { _ = $0.fail(capture, StableWord(reason)) } }
        return isNew
    }

    func fail(_ capture: CaptureID, reason: FailureReason) async throws -> Bool {
        state.withLock { $0.fail(capture, StableWord(reason)) }
    }

    func unsigned(limit: Int) async throws -> WaitingCaptures {
        state.withLock { state in Self.longestWaiting(state.entries.values.filter(\.isUnsigned), limit: limit) }
    }

    /// The first of each sort that were received, which tests complete in the same order.
    private static func longestWaiting(_ entries: [Entry], limit: Int) -> WaitingCaptures {
        let ordered = entries.sorted { $0.number < $1.number }.map(\.announcement)
        func first(areVideos: Bool) -> [CaptureID] {
            ordered.filter { $0.content.kind.takesLongToAssemble == areVideos }.prefix(limit).map(\.captureID)
        }
        return WaitingCaptures(others: first(areVideos: false), videos: first(areVideos: true))
    }

    func gathered(_ capture: CaptureID) async throws -> GatheredCapture? {
        try state.withLock { state in
            guard let entry = state.entries[capture], entry.state.status == .processing, let parts = try EvidenceParts(entry.all)
            else { return nil }
            return try state.gathered(entry, parts)
        }
    }

    func waiting(limit: Int) async throws -> WaitingCaptures {
        state.withLock { state in
            Self.longestWaiting(state.entries.values.filter { $0.isWaiting && !state.isRevoked($0) }, limit: limit)
        }
    }

    func find(_ capture: CaptureID) async throws -> CaptureAwaitingCredentials? {
        try state.withLock { state in
            guard let entry = state.entries[capture], let package = entry.state.package, entry.isWaiting, !state.isRevoked(entry),
                let confidence = entry.confidence, let parts = try EvidenceParts(entry.all)
            else { return nil }
            return CaptureAwaitingCredentials(package: package, confidence: confidence, announcement: entry.announcement, parts: parts)
        }
    }

    func settle(
        _ capture: CaptureID, _ waiting: CaptureAwaitingCredentials, _ outcome: Result<IssuedCredentials, NotSignable>
    ) async throws -> ContentCredentialsEvidence? {
        try state.withLock { state in
            guard let entry = state.entries[capture], let package = entry.state.package, let confidence = entry.confidence,
                entry.isWaiting, !state.isRevoked(entry), waiting.hasVerdict(package, confidence)
            else { return nil }
            let settled: ContentCredentialsEvidence
            switch outcome {
            case .failure(let refusal): settled = ContentCredentialsEvidence(status: .unavailable, reason: refusal.reason)
            case .success(let issued):
                settled = ContentCredentialsEvidence(status: .embedded, reason: nil)
                state.entries[capture]?.credentials = issued
                state.entries[capture]?.state.objects.merge(issued.objects.mapValues(\.key)) { first, _ in first }
                state.entries[capture]?.objects.merge(issued.objects.mapValues(\.sha256)) { first, _ in first }
            }
            state.entries[capture]?.state.package?.contentCredentials = settled
            if case .success = outcome, let entry = state.entries[capture], let last = entry.last {
                let stated = try entry.stated()
                state.entries[capture]?.statements.append(try maker.credentials(of: stated, after: last))
                state.announce(capture)
            }
            return settled
        }
    }

    func withoutDigests(after last: CaptureID?, limit: Int) async throws -> [UndigestedCredentials] {
        state.withLock { state in
            let rest = state.withoutDigests.filter { $0.capture.description > last?.description ?? "" }
            return Array(rest.sorted { $0.capture.description < $1.capture.description }.prefix(limit))
        }
    }

    func countWithoutDigests() async throws -> Int64 { state.withLock { Int64($0.withoutDigests.count) } }

    func save(_ capture: CaptureID, leaf: ContentDigest, manifest: ContentDigest) async throws {
        state.withLock { state in
            guard state.withoutDigests.contains(where: { $0.capture == capture }) else { return }
            state.digests[capture] = CopyDigests(leaf: leaf, manifest: manifest)
        }
    }
}
