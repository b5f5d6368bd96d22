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

    init(_ session: DeviceSession, failing: [Int] = [], isUnsigned: Bool = false) {
        self.session = session
        self.failing = Set(failing)
        self.isUnsigned = isUnsigned
    }

    func assertion(over clientDataHash: ContentDigest) async -> [UInt8]? {
        defer { count += 1 }
        guard !isUnsigned, !failing.contains(count) else { return nil }
        return try? await session.assertion(clientDataHash: clientDataHash.bytes)
    }
}
