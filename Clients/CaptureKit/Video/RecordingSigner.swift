public import CaptureProtocol

/// Has the hardware sign the checkpoints of a recording.
public protocol RecordingSigner: Sendable {
    /// - Returns: the assertion (CBOR); `nil` if it cannot be made now, which never stops a recording.
    func assertion(over clientDataHash: ContentDigest) async -> [UInt8]?
    /// The one device that has signed so far; `nil` if none has.
    var device: DeviceID? { get async }
}
