import CaptureProtocol
import Delivery

/// What waits to be entered. Each method is one transaction.
protocol PendingRepository: Sendable {
    /// Lets the capture's statements wait that neither wait nor have an entry. A withdrawn capture's are found by the look-through.
    /// - Parameter context: the event that is processed with this.
    func add(_ capture: CaptureID, answering context: MessageContext) async throws

    /// Lets all statements wait that are older than a minute and have no index, and neither wait nor have an entry.
    /// - Returns: how many there were.
    func lookThrough() async throws -> Int
}
