public import Foundation

/// The capture was withdrawn (SPEC §6): nothing of it is left to read or to do.
public struct WithdrawnCapture: Error, Equatable {
    /// When; the public sees the day in UTC.
    public let withdrawnAt: Date
    public init(withdrawnAt: Date) { self.withdrawnAt = withdrawnAt }
}
