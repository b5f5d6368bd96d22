import CaptureProtocol
import Delivery
import Models

/// The statements about captures that are made after completion, each in a transaction that announces it. Making one twice is impossible:
/// what the last one says is looked at under a lock of the capture.
protocol StatementRepository: Sendable {
    /// Complete captures without a statement, from versions that made none. Ordered by id, after the given one.
    func unstated(after last: CaptureID?, limit: Int) async throws -> [CaptureID]

    func countUnstated() async throws -> Int64

    /// Makes the first statement about a complete capture, if it has none.
    /// - Returns: what was made.
    /// - Throws: ``RejectedMessage`` if this version cannot read the capture, ``BundleError`` if it cannot be stated.
    @discardableResult
    func assess(_ capture: CaptureID) async throws -> [NewStatement]

    /// Devices that were revoked or restored within the last day.
    func revisedDevices() async throws -> [DeviceID]

    /// Devices that were ever revoked or restored. Ordered by id, after the given one.
    func revisedDevices(after last: DeviceID?, limit: Int) async throws -> [DeviceID]

    /// Complete captures of a device whose last statement is not what operators decided about the device. Ordered by id, after the given
    /// one.
    func toRevise(of device: DeviceID, after last: CaptureID?, limit: Int) async throws -> [CaptureID]

    /// Revokes the capture or takes that back, as operators decided about its device; nothing if that is what its last statement says.
    /// - Returns: what was made.
    @discardableResult
    func revise(_ capture: CaptureID) async throws -> NewStatement?

    /// Marks an event about a device as processed.
    func settle(_ context: MessageContext) async throws

    /// Notes where the capture's statements stand in the published log.
    func noteLogged(_ capture: CaptureID, answering context: MessageContext) async throws

    /// The same for statements of any captures, withdrawn ones too, that have been waiting for a minute.
    /// - Returns: how many were noted.
    func noteLogged(limit: Int) async throws -> Int
}
