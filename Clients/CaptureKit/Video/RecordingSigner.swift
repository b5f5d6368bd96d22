public import CaptureProtocol

/// Has the hardware sign checkpoints and the end of a recording.
public protocol RecordingSigner: Sendable {
    /// - Returns: the assertion (CBOR); `nil` if it cannot be made now, which never stops a recording.
    func assertion(over clientDataHash: ContentDigest) async -> [UInt8]?
}

/// Signs with the App Attest key of a registered identity.
public struct DeviceRecordingSigner: RecordingSigner {
    private let asserter: CaptureAsserter
    private let identity: DeviceIdentity

    public init(_ asserter: CaptureAsserter, identity: DeviceIdentity) {
        self.asserter = asserter
        self.identity = identity
    }

    public func assertion(over clientDataHash: ContentDigest) async -> [UInt8]? {
        guard case .made(let assertion) = await asserter.assertion(over: clientDataHash, by: identity) else { return nil }
        return assertion
    }
}
