public import CaptureProtocol
public import Foundation

/// What a bundle proves, and what was not checked (SPEC §14 "Verifying, in this order").
public struct BundleReport: Sendable, Equatable {
    /// The result of all checks together.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The verdict that decides is proved.
        case proved
        /// A check failed, or the verdict was taken back.
        case wrong
        /// No bundle in the one form.
        case unreadable
        /// Nothing contradicts it, but neither log and witnesses of the policy nor the anchors vouch for all of it.
        case untrusted

        /// The exit code of `rial verify`.
        public var exitCode: Int32 {
            switch self {
            case .proved: 0
            case .wrong: 1
            case .unreadable: 2
            case .untrusted: 3
            }
        }
    }

    /// One thing that was checked.
    public struct Check: Sendable, Equatable {
        /// The subject of a check.
        public enum Name: String, Sendable, CaseIterable {
            /// The bytes have the one form, and everything in them that is read for a proof too.
            case form
            /// The leaf of statement and salt is in the tree.
            case inclusion
            case logSignature = "log_signature"
            case quorum
            /// Sequence, `previous`, subject and capture.
            case order
            /// Its digest and the versions of the rules.
            case evidence
            /// Computed again from the evidence's checks.
            case confidence
            /// Nothing was seen before it was made.
            case time
            /// RFC 3161.
            case timestamp
            /// Whether the last verdict was taken back, by a statement for which log and witnesses of the policy vouch.
            case standing
            /// A file that was given, or is in the bundle, is one that the last verdict names.
            case file
            case contentCredentials = "content_credentials"
            /// What `raw` commits to.
            case raw
            case attestation, assertion
            case depth
        }

        public let name: Name
        /// The number of the statement that the check is about; `nil` for the whole bundle.
        public let statement: Int?
        public let finding: Finding

        init(_ name: Name, _ finding: Finding, statement: Int? = nil) {
            self.name = name
            self.statement = statement
            self.finding = finding
        }
    }

    /// The statement that was taken back, and why.
    public struct Revocation: Sendable, Equatable {
        /// A stable word.
        public let reason: String
        /// Sequence of the statement that takes it back.
        public let sequence: Int
        /// POSIX seconds.
        public let time: Int
    }

    /// Where and when a statement was entered.
    public struct Entry: Sendable, Equatable {
        public let origin: TextLine
        public let index: UInt64
        public let treeSize: UInt64
        /// POSIX seconds by which a quorum had cosigned; `nil` without one.
        public let witnessedAt: UInt64?
        /// The time of a time-stamp authority that an anchor vouches for.
        public let stampedAt: Date?
    }

    /// In the order in which they were made.
    public let checks: [Check]
    /// `nil` if the bundle is unreadable, as all that follows.
    public let capture: CaptureID?
    /// The last one, also if it was taken back, but never one that nobody vouches for after a revocation that is vouched for. Not to be
    /// believed unless the outcome says so.
    public let verdict: Verdict?
    /// Whether an accepted signature covers time, place and model, by the evidence of that verdict.
    public let isMetadataSigned: Bool
    /// Whether a development root attested the device and not Apple's, by the same evidence: then it serves for tests.
    public let isDevelopmentAttestation: Bool
    /// The log entry of the statement with that verdict.
    public let entry: Entry?
    /// The revocation of the last verdict, if log and witnesses of the policy vouch that it was taken back.
    public let revocation: Revocation?

    /// The sentence about what nobody can know offline.
    public static let always = "Statements later than this bundle were not looked for."

    /// Sentences that say what was not checked; never empty.
    public var notChecked: [String] {
        checks.compactMap { if case .notChecked(let sentence) = $0.finding { sentence } else { nil } } + [Self.always]
    }

    public var outcome: Outcome {
        if checks.contains(where: { $0.name == .form && $0.finding.isFailed }) { return .unreadable }
        if checks.contains(where: \.finding.isFailed) { return .wrong }
        return checks.contains { if case .untrusted = $0.finding { true } else { false } } ? .untrusted : .proved
    }
}

/// The result of a check, with a sentence for people.
public enum Finding: Sendable, Equatable {
    case passed(String)
    /// Something is wrong.
    case failed(String)
    /// Nothing is wrong, but nobody who is trusted here vouches for it.
    case untrusted(String)
    case notChecked(String)

    public var sentence: String {
        switch self {
        case .passed(let sentence), .failed(let sentence), .untrusted(let sentence), .notChecked(let sentence): sentence
        }
    }

    var isFailed: Bool { if case .failed = self { true } else { false } }

    /// Passed or failed.
    init(_ isRight: Bool, _ passed: String, else failed: String) { self = isRight ? .passed(passed) : .failed(failed) }
}
