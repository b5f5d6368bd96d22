/// How long a capture waits after an attempt that failed.
public struct UploadBackoff: Sendable, Equatable {
    /// The wait before the next attempt.
    public let delay: Duration
    /// Whether a network that appears, or a person, ends the wait. False while the server asked to wait.
    public let endsEarly: Bool

    /// The waits after the first attempts; later ones are ``interval`` apart.
    public static let delays: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]
    public static let interval = Duration.seconds(5 * 60)

    /// The wait after attempt number `attempt` failed, up to a fifth shorter or longer at random, so that devices that failed together
    /// do not come back together.
    /// - Parameters:
    ///   - attempt: from 1, counted since a person, a network or a success last began anew.
    ///   - retryAfter: the least wait, if the server asked for one.
    public init(after attempt: Int, retryAfter: Duration? = nil, using generator: inout some RandomNumberGenerator) {
        let index = max(attempt, 1) - 1
        let usual = index < Self.delays.count ? Self.delays[index] : Self.interval
        let delay = usual * Double.random(in: 0.8...1.2, using: &generator)
        self.delay = max(delay, retryAfter ?? .zero)
        endsEarly = self.delay == delay
    }
}
