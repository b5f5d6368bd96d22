/// The results of a capture's earlier attempts, as far as the reaction to the next answer depends on them.
public struct UploadHistory: Sendable, Equatable {
    /// A step that is taken at once after an answer. It helps the first time or not at all.
    enum Remedy: Sendable { case clock, signature, registration }

    /// How many answers counted. A person who tries again begins at 0.
    public private(set) var counted: Int
    /// The remedies that the latest attempts in a row were made with.
    private(set) var remedies: Set<Remedy> = []

    /// - Parameter counted: as kept with the capture.
    public init(counted: Int = 0) { self.counted = counted }

    /// Adds the reaction to the latest attempt.
    public mutating func add(_ reaction: UploadReaction) {
        switch reaction {
        case .setClock: remedies.insert(.clock)
        case .signAgain: remedies.insert(.signature)
        case .registerAgain: remedies.insert(.registration)
        case .tryLater(_, _, let counts):
            counted += counts ? 1 : 0
            remedies = []
        case .uploaded, .stopIdentity, .holdQueue, .fail: remedies = []
        }
    }
}
