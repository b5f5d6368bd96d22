public import CaptureProtocol

/// Has the hardware sign the checkpoints of a recording.
public protocol RecordingSigner: Sendable {
    /// - Returns: the assertion (CBOR); `nil` if it cannot be made now, which never stops a recording.
    func assertion(over clientDataHash: ContentDigest) async -> [UInt8]?
    /// The one device that has signed so far; `nil` if none has.
    var device: DeviceID? { get async }
}

/// Signs with the device that is registered now, and with no other before the recording ends.
actor QueueRecordingSigner: RecordingSigner {
    private let signing: any CaptureSigning
    private(set) var device: DeviceID?

    init(_ signing: any CaptureSigning) { self.signing = signing }

    func assertion(over clientDataHash: ContentDigest) async -> [UInt8]? {
        guard case .made(let assertion, let signer) = await signing.assertion(over: clientDataHash), device == nil || device == signer
        else {
            return nil
        }
        device = signer
        return assertion
    }
}
