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
    /// Bytes of its body that the server has or that were handed to the network; `nil` unless it is being sent by this process. Becomes
    /// less when an upload goes on after a break: what was on its way is sent again.
    public let sentBytes: Int64?
    /// Bytes of its body that the server said it has; `nil` unless an upload is to go on after a break.
    public let storedBytes: Int64?
    /// The first byte that was sent when its upload last went on after a break; `nil` if none did.
    public let resumedAt: Int64?
    /// Bytes of its whole body, about.
    public let totalBytes: Int64
    /// `nil` if nothing holds it up, or if nothing will be tried without a person.
    public let nextTry: Date?
}
