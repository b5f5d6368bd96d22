import CaptureProtocol

/// The result of a withdrawal.
enum WithdrawalOutcome: Sendable {
    /// It is withdrawn, now or by an earlier request.
    case withdrawn
    /// Another device sent it.
    case foreign
    case unknown
}

/// Withdraws captures for their owners.
protocol WithdrawalRepository: Sendable {
    /// In one transaction erases what is known of the capture and announces it.
    func withdraw(_ capture: CaptureID, by device: DeviceID) async throws -> WithdrawalOutcome
}
