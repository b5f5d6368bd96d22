import CaptureProtocol
import Delivery

/// The statements that wait to be entered in the log. Each method is one transaction.
protocol PendingRepository: Sendable {
    /// Adds those of the capture's statements that neither wait yet nor have an entry. Those of a withdrawn capture are left to
    /// ``lookThrough()``.
    /// - Parameter context: the event that is processed with this.
    func add(_ capture: CaptureID, answering context: MessageContext) async throws

    /// Adds all statements older than a minute that neither wait yet nor have an entry: those whose event was lost.
    /// - Returns: how many there were.
    func lookThrough() async throws -> Int
}
