import Attestation
import CaptureProtocol
import Foundation

/// A registered device, with the fields that appraisals need.
struct Device: Sendable, Equatable {
    let id: DeviceID
    let model: String
    let hasLiDAR: Bool
    /// SHA-256 of the attestation object that it registered with.
    let attestationDigest: ContentDigest
    let registered: RegisteredDevice
}

/// An operator's action on a device.
enum DeviceAction: String, Codable, Sendable { case revoked, restored }

/// An audit record of one operator action.
struct DeviceEvent: Codable, Sendable, Equatable {
    let action: DeviceAction
    let at: Date
    /// The name the operator's tool sent; not authenticated.
    let by: String
    let reason: String?
    /// For a revocation that also counts for earlier captures: the time from which on they were received. `nil` for other events.
    let since: Date?
}

/// The registered devices and their audit log.
protocol DeviceRepository: Sendable {
    /// `nil` if there is no such device.
    func find(_ id: DeviceID) async throws -> Device?

    /// Revokes or restores a device, records who did it and why, and announces it.
    /// - Returns: false if there is no such device.
    func apply(_ action: DeviceAction, to id: DeviceID, _ note: OperatorNote) async throws -> Bool

    /// The latest 1,000 events, newest first; `nil` if there is no such device.
    func events(of id: DeviceID) async throws -> [DeviceEvent]?
}
