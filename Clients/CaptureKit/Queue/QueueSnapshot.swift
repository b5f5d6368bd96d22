public import CaptureProtocol
public import Foundation

/// The queue at one moment, for a screen.
public struct QueueSnapshot: Sendable, Equatable {
    /// In order of capture.
    public let captures: [QueuedCapture]
    public let usage: StoreUsage
    /// Why the whole queue waits; `nil` if it does not.
    public let waitsFor: CaptureFailure?
    /// Devices whose captures are not sent since the server revoked them.
    public let revokedDevices: Set<DeviceID>
    /// Captures whose facts were changed in the database; they can only be deleted.
    public let damaged: [LocalID]
}

/// A capture as a screen shows it.
public struct QueuedCapture: Sendable, Equatable {
    public let capture: StoredCapture
    /// Bytes of its request that were handed to the network; `nil` unless it is being sent by this process.
    public let sentBytes: Int64?
    /// Bytes of its whole request, about.
    public let totalBytes: Int64
    /// `nil` if nothing holds it up, or if nothing will be tried without a person.
    public let nextTry: Date?
}
