import Attestation
import CaptureProtocol
import Foundation

/// A registered device as appraisals need it.
struct Device: Sendable, Equatable {
    let id: DeviceID
    let model: String
    let hasLiDAR: Bool
    let registered: RegisteredDevice
}

/// What an operator did to a device.
enum DeviceAction: String, Codable, Sendable { case revoked, restored }

/// One use of an operator's route, as it is kept.
struct DeviceEvent: Codable, Sendable, Equatable {
    let action: DeviceAction
    let at: Date
    /// As the operator's tool names itself; not proved.
    let by: String
    let reason: String?
}

/// The registered devices, and what operators did to them.
protocol DeviceRepository: Sendable {
    /// `nil` if there is no such device.
    func find(_ id: DeviceID) async throws -> Device?

    /// Revokes or restores a device, and keeps who did so and why.
    /// - Returns: false if there is no such device.
    func apply(_ action: DeviceAction, to id: DeviceID, _ note: OperatorNote) async throws -> Bool

    /// The latest thousand, latest first; `nil` if there is no such device.
    func events(of id: DeviceID) async throws -> [DeviceEvent]?
}
