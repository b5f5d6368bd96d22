import CaptureProtocol

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
