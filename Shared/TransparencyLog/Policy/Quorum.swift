/// Which witnesses must have cosigned (c2sp.org/tlog-policy, "Defining the quorum").
struct Quorum: Sendable, Equatable {
    /// A witness, which must have cosigned, or a group, of whose members at least `threshold` must be met. Members are indexes of earlier
    /// rules.
    enum Rule: Sendable, Equatable {
        case witness(VerifierKey)
        case group(threshold: Int, members: [Int])
    }

    /// The policy's witnesses and groups, in the order of its lines.
    var rules: [Rule] = []
    /// Index of the rule that must be met; `nil` for `none`.
    var required: Int?

    /// The earliest time by which enough had cosigned.
    /// - Parameter times: POSIX time of each witness's earliest cosignature.
    func standing(_ times: [VerifierKey: UInt64]) -> QuorumStanding {
        guard let required else { return .notRequired }
        var met: [UInt64?] = []
        for rule in rules {
            switch rule {
            case .witness(let key): met.append(times[key])
            case .group(let threshold, let members):
                let reached = members.compactMap { met[$0] }.sorted()
                met.append(threshold <= reached.count ? reached[threshold - 1] : nil)
            }
        }
        return met[required].map { .met(seconds: $0) } ?? .missing
    }
}

/// Whether a quorum has cosigned a checkpoint.
public enum QuorumStanding: Hashable, Sendable {
    /// The policy asks for no witness.
    case notRequired
    /// Too few have.
    case missing
    /// Enough have, by this POSIX time.
    case met(seconds: UInt64)
}
