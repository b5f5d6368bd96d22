package import CaptureProtocol
package import Foundation
package import Models

/// Where the last statement about a capture stands in the public log.
package struct RecordLog: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// On its way, or held back until its day has ended.
        case pending
        /// Published, but too few witnesses have seen it.
        case logged
        /// Published, and the policy asks for no witness.
        case alone
        case witnessed
        /// The log takes nothing at the moment.
        case unavailable
    }

    package struct Entry: Sendable, Equatable {
        /// "rial.example/log/2026".
        package let origin: String
        package let index: UInt64
        /// The size of the tree that was witnessed, or of the published one.
        package let treeSize: UInt64

        package init(origin: String, index: UInt64, treeSize: UInt64) {
            self.origin = origin
            self.index = index
            self.treeSize = treeSize
        }
    }

    package let state: State
    /// `nil` until it is published.
    package let entry: Entry?
    /// When enough witnesses had seen it.
    package let witnessedAt: Date?
    /// In the order of their times.
    package let witnesses: [LogFacts.Witness]
    /// Whether there is an evidence file by now.
    package let hasBundle: Bool
    /// Whether the last statement takes the verdict back.
    package let isRevoked: Bool
    /// What was said before the present verdict, oldest first.
    package let earlier: [EarlierVerdict]

    package init(
        state: State, entry: Entry?, witnessedAt: Date?, witnesses: [LogFacts.Witness], hasBundle: Bool, isRevoked: Bool,
        earlier: [EarlierVerdict] = []
    ) {
        self.state = state
        self.entry = entry
        self.witnessedAt = witnessedAt
        self.witnesses = witnesses
        self.hasBundle = hasBundle
        self.isRevoked = isRevoked
        self.earlier = earlier
    }
}

/// A verdict that another one by other methods has followed.
package struct EarlierVerdict: Sendable, Equatable {
    /// When it was given; by the day where the exact time is kept back.
    package let at: SharedTime
    package let confidence: ConfidenceLevel
    /// The methods that gave the verdict, such as "depth": "relief-1".
    package let methods: [String: String]

    package init(at: SharedTime, confidence: ConfidenceLevel, methods: [String: String]) {
        self.at = at
        self.confidence = confidence
        self.methods = methods
    }
}
