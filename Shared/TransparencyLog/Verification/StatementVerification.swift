import CaptureProtocol
import Foundation

/// A statement of a bundle with its proof, read and not yet verified.
struct ProvenStatement {
    let logged: EvidenceBundle.Logged
    let proof: TransparencyProof
    let checkpoint: Checkpoint
    let salt: Salt

    var statement: Statement { logged.statement }

    init(_ logged: EvidenceBundle.Logged) throws(BundleError) {
        let sequence = logged.statement.sequence
        do throws(TransparencyLogError) {
            proof = try TransparencyProof(logged.proof)
            checkpoint = try Checkpoint(text: proof.note.text)
        } catch {
            throw BundleError(.content, "The proof of statement \(sequence) \(error.message).")
        }
        guard let salt = Salt(bytes: proof.extra) else {
            throw BundleError(.content, "The proof of statement \(sequence) has no salt of 32 bytes.")
        }
        self.logged = logged
        self.salt = salt
    }
}

/// The checks of one statement.
struct StatementVerification {
    let proven: ProvenStatement
    let policy: TrustPolicy
    let anchors: TimestampAnchors?
    let confidence: (@Sendable (CheckedEvidence) -> Verdict.Confidence?)?
    private(set) var checks: [BundleReport.Check] = []
    private(set) var witnessedAt: UInt64?
    private(set) var stampedAt: Date?

    init(
        _ proven: ProvenStatement, policy: TrustPolicy, anchors: TimestampAnchors?,
        confidence: (@Sendable (CheckedEvidence) -> Verdict.Confidence?)?
    ) {
        self.proven = proven
        self.policy = policy
        self.anchors = anchors
        self.confidence = confidence
    }

    /// Whether it is in a tree of which log and witnesses vouch as the policy asks.
    var isVouchedFor: Bool {
        checks.allSatisfy { check in
            switch (check.name, check.finding) {
            case (.inclusion, .failed), (.logSignature, .failed), (.logSignature, .untrusted), (.quorum, .untrusted): false
            default: true
            }
        }
    }

    private var sequence: Int { proven.statement.sequence }

    /// - Parameter previous: the statement before it.
    mutating func run(at index: Int, after previous: ProvenStatement?) async {
        checkInclusion()
        let stampedBytes = checkLog()
        checkOrder(at: index, after: previous)
        if let verdict = proven.statement.verdict { checkEvidence(verdict) }
        if proven.logged.timestamp != nil { await checkTimestamp(over: stampedBytes) }
        checkTime()
    }

    private mutating func add(_ name: BundleReport.Check.Name, _ finding: Finding) {
        checks.append(.init(name, finding, statement: sequence))
    }

    private mutating func checkInclusion() {
        let leaf = proven.statement.leaf(salt: proven.salt)
        let isIncluded = proven.proof.inclusion.proves(leaf.hash, at: proven.proof.index, in: proven.checkpoint.head)
        add(
            .inclusion,
            Finding(
                isIncluded, "Statement \(sequence) is entry \(proven.proof.index) of a log of \(proven.checkpoint.size) entries.",
                else: "Statement \(sequence) is not the entry that its proof is about."))
    }

    /// - Returns: what a token has to be over, if a log of the policy signed the checkpoint.
    private mutating func checkLog() -> [UInt8]? {
        do throws(TransparencyLogError) {
            let validated = try policy.validate(proven.proof.note)
            add(.logSignature, .passed("The log \(proven.checkpoint.origin) signed statement \(sequence)'s checkpoint."))
            checkQuorum(validated.quorum)
            return validated.stampedBytes
        } catch  where error.code == .unknownLog {
            add(.logSignature, .untrusted("No log of the policy signed statement \(sequence)'s checkpoint."))
        } catch {
            add(.logSignature, .failed("The checkpoint of statement \(sequence): \(error.message)."))
            return nil
        }
        // The witnesses may be known all the same; that none of their signatures is false has been seen.
        let signatures = try? proven.proof.note.verified(by: policy.keys)
        checkQuorum(policy.standing(signatures ?? []))
        return nil
    }

    private mutating func checkQuorum(_ standing: QuorumStanding) {
        switch standing {
        case .met(let seconds):
            witnessedAt = seconds
            let time = Timestamp.format(Date(timeIntervalSince1970: TimeInterval(seconds)))
            add(.quorum, .passed("A quorum of the policy's witnesses had cosigned statement \(sequence)'s checkpoint by \(time)."))
        case .missing: add(.quorum, .untrusted("Too few witnesses of the policy cosigned statement \(sequence)'s checkpoint."))
        case .notRequired:
            add(.quorum, .notChecked("The policy asks for no witness, so nobody but the log vouches for statement \(sequence)."))
        }
    }

    private mutating func checkOrder(at index: Int, after previous: ProvenStatement?) {
        let statement = proven.statement
        var isRight = statement.sequence == index && statement.previous == previous.map { $0.statement.commitment(salt: $0.salt) }
        if let previous {
            isRight = isRight && statement.capture == previous.statement.capture && statement.subject == previous.statement.subject
        }
        add(
            .order,
            Finding(
                isRight, "Statement \(index) follows the one before it.",
                else: "Statement \(index) has another sequence, predecessor, subject or capture than its place asks for."))
    }

    private mutating func checkEvidence(_ verdict: Verdict) {
        // A bundle that was read has it.
        let bytes = proven.logged.evidence ?? []
        guard ContentDigest(of: bytes) == verdict.evidence else {
            return add(.evidence, .failed("The evidence of statement \(sequence) is not what the statement names."))
        }
        guard let evidence = CheckedEvidence(bytes), evidence.kind == verdict.kind, evidence.algorithms == verdict.algorithms else {
            return add(
                .evidence, .failed("The evidence of statement \(sequence) is of another kind, or judged by other rules than it says."))
        }
        add(.evidence, .passed("The evidence of statement \(sequence) is what the statement names."))
        guard let computed = confidence?(evidence) else {
            let reason = confidence == nil ? "" : ": its rules are not known here"
            return add(.confidence, .notChecked("The confidence of statement \(sequence) was not computed again\(reason)."))
        }
        add(
            .confidence,
            Finding(
                computed == verdict.confidence, "The checks of statement \(sequence) give the confidence that it states.",
                else: "The checks of statement \(sequence) give another confidence than it states."))
    }

    private mutating func checkTimestamp(over stampedBytes: [UInt8]?) async {
        guard let anchors else {
            return add(.timestamp, .notChecked("The time stamp of statement \(sequence) was not checked, since no anchors were given."))
        }
        guard let stampedBytes else {
            return add(.timestamp, .notChecked("The time stamp of statement \(sequence) was not checked, since its log is not known."))
        }
        do throws(BundleError) {
            let answer = try TimestampAnswer(proven.logged.timestamp ?? [])
            switch await answer.verify(imprint: ContentDigest(of: stampedBytes), nonce: nil, anchors: anchors) {
            case .verified(let time):
                stampedAt = time
                add(.timestamp, .passed("An authority stamped statement \(sequence)'s checkpoint at \(Timestamp.format(time))."))
            case .rejected(.untrusted):
                add(.timestamp, .untrusted("No anchor vouches for the authority that stamped statement \(sequence)'s checkpoint."))
            case .rejected(let failure):
                let word = failure.rawValue.split(separator: "_").joined(separator: " ")
                add(.timestamp, .failed("The time stamp of statement \(sequence) is not of its checkpoint: \(word)."))
            }
        } catch {
            add(.timestamp, .failed("The time stamp of statement \(sequence) \(error.message)."))
        }
    }

    private mutating func checkTime() {
        let earliest = proven.statement.time - BundleVerifier.clockTolerance
        let times = [witnessedAt.map { Double($0) }, stampedAt?.timeIntervalSince1970].compactMap { $0 }
        guard !times.isEmpty else {
            return add(.time, .notChecked("Nobody says when statement \(sequence) was seen."))
        }
        add(
            .time,
            Finding(
                times.allSatisfy { $0 >= Double(earliest) }, "Statement \(sequence) was seen after it was made.",
                else: "Statement \(sequence) was seen before the time at which it says it was made."))
    }
}
