/// Token buckets, by limit and subject.
protocol TokenBuckets: Sendable {
    /// Takes one token.
    /// - Returns: the bucket's new state; `nil` if there is no limit.
    /// - Throws: ``RateLimitExceeded`` if the bucket is empty.
    @discardableResult
    func debit(_ rule: BucketRule, _ subject: String) async throws -> RateAllowance?

    /// Checks for a token without taking one.
    /// - Throws: ``RateLimitExceeded`` if the bucket is empty.
    func peek(_ rule: BucketRule, _ subject: String) async throws

    /// Forgets buckets that are full again, as those are that are not there.
    func sweep() async throws
}
