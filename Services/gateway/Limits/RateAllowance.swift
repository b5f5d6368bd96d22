/// The state of a client's token bucket.
struct RateAllowance: Sendable, Equatable {
    /// The bucket's size.
    let limit: Int
    /// Whole tokens left.
    let remaining: Int
    /// Seconds until the bucket is full.
    let resetSeconds: Int

    init(_ rule: BucketRule, tokens: Double) {
        let left = max(tokens, 0)
        limit = Int(rule.burst)
        remaining = Int(left)
        resetSeconds = rule.perSecond > 0 ? Int(min(((rule.burst - left) / rule.perSecond).rounded(.up), 1e9)) : 0
    }
}

/// The bucket is empty.
struct RateLimitExceeded: Error, Sendable {
    let allowance: RateAllowance
    /// Seconds until there is a token again: 1 to 86,400.
    let retrySeconds: Int

    /// - Parameter tokens: the tokens left, fewer than one.
    init(_ rule: BucketRule, tokens: Double) {
        allowance = RateAllowance(rule, tokens: 0)
        let wait = rule.perSecond > 0 ? min(((1 - tokens) / rule.perSecond).rounded(.up), 86_400) : 86_400
        retrySeconds = max(Int(wait), 1)
    }
}
