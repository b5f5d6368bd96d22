import CaptureKit
import CaptureProtocol
import SimulatedDevice

/// Signs a recording with the simulated device's key, or fails to.
actor SessionSigner: RecordingSigner {
    private let session: DeviceSession
    /// Numbers, from 0, of the assertions that fail; the end is the last one.
    private let failing: Set<Int>
    private let isUnsigned: Bool
    private var count = 0
    private(set) var device: DeviceID?

    init(_ session: DeviceSession, failing: [Int] = [], isUnsigned: Bool = false) {
        self.session = session
        self.failing = Set(failing)
        self.isUnsigned = isUnsigned
    }

    func assertion(over clientDataHash: ContentDigest) async -> [UInt8]? {
        defer { count += 1 }
        guard !isUnsigned, !failing.contains(count) else { return nil }
        device = await session.id
        return try? await session.assertion(clientDataHash: clientDataHash.bytes)
    }

    /// Signs the end.
    func end(_ clientDataHash: ContentDigest) async -> CaptureStore.Assertion {
        guard let assertion = await assertion(over: clientDataHash), let device else { return .none }
        return .made(assertion, by: device)
    }
}
