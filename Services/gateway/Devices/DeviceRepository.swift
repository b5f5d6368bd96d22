import CaptureProtocol

/// A row of `devices`, as far as requests need it.
struct KnownDevice: Sendable {
    let id: DeviceID
    let requestKey: (algorithm: RequestKey.Algorithm, key: [UInt8])?
    /// X9.63; `nil` for an unverified device.
    let attestedKey: [UInt8]?
    let appID: String?
    let isRevoked: Bool
    /// Whether its key was attested.
    var isVerified: Bool { attestedKey != nil }
}

/// The devices that `attestation-verifier` registered.
protocol DeviceRepository: Sendable {
    /// - Returns: `nil` for an unknown device.
    func find(_ id: DeviceID) async throws -> KnownDevice?
}
