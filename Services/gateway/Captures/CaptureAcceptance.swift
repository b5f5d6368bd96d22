import CaptureProtocol
import NIOCore

/// The limits of captures, of a device and of an address.
struct CaptureRates: Sendable {
    let buckets: any TokenBuckets
    let limits: RateLimits

    /// Checks them without counting anything.
    /// - Throws: ``RateLimitExceeded``.
    func peek(_ type: CaptureType, of device: KnownDevice, from address: ClientAddress) async throws {
        try await buckets.peek(limits.captures(type, ofVerified: device.isVerified), device.id.description)
        try await buckets.peek(limits.capturesOfAddress, address.description)
    }

    /// Counts a capture.
    /// - Returns: the state of the device's limit; `nil` without one.
    /// - Throws: ``RateLimitExceeded``.
    func debit(_ type: CaptureType, of device: KnownDevice, from address: ClientAddress) async throws -> RateAllowance? {
        let allowance = try await buckets.debit(limits.captures(type, ofVerified: device.isVerified), device.id.description)
        try await buckets.debit(limits.capturesOfAddress, address.description)
        return allowance
    }

    /// Counts the creation of a resumable upload, whether or not it becomes a capture: its rows stay for days.
    /// - Throws: ``RateLimitExceeded``.
    func debitCreation(_ type: CaptureType, of device: KnownDevice, from address: ClientAddress) async throws {
        try await buckets.debit(limits.captures(type, ofVerified: device.isVerified).creations, device.id.description)
        try await buckets.debit(limits.capturesOfAddress.creations, address.description)
    }
}

/// A capture that the server is responsible for from now on.
struct RecordedCapture: Sendable {
    let id: CaptureID
    let type: CaptureType
    let status: CaptureStatus
    /// False if the device has sent the same capture before.
    let isNew: Bool
    /// The state of the device's limit; `nil` without one.
    let allowance: RateAllowance?

    init(_ id: CaptureID, _ type: CaptureType, _ recorded: Recorded, _ allowance: RateAllowance?) {
        self.type = type
        switch recorded {
        case .new: (self.id, status, isNew) = (id, .processing, true)
        case .known(let known): (self.id, status, isNew) = (known.id, known.status, false)
        }
        self.allowance = allowance
    }
}

extension AcceptedCapture {
    init(_ recorded: RecordedCapture, publicURL: String) {
        self.init(
            captureID: recorded.id, type: recorded.type == .photo ? nil : recorded.type, status: recorded.status,
            verificationURL: publicURL + PagePath.capture(recorded.id))
    }
}

/// Receives the whole body of a capture from a device that may send it, and counts it against the limits. Both ways of uploading end here,
/// each attempt under a capture id of its own.
struct CaptureAcceptance: Sendable {
    let upload: CaptureUpload
    let rates: CaptureRates

    /// - Parameter authenticate: gets the SHA-256 of the whole body; throws if it is not what the device signed.
    /// - Throws: as ``CaptureUpload/take(_:_:from:authenticate:admit:)``, and ``RateLimitExceeded``.
    func accept(
        _ bytes: some AsyncSequence<ByteBuffer, any Error> & Sendable, _ body: IncomingBody, from device: KnownDevice,
        at address: ClientAddress, authenticate: (ContentDigest) async throws -> Void
    ) async throws -> RecordedCapture {
        var allowance: RateAllowance?
        let (id, recorded) = try await upload.take(
            bytes, body, from: device.id, authenticate: authenticate,
            admit: { allowance = try await rates.debit(body.type, of: device, from: address) })
        return RecordedCapture(id, body.type, recorded, allowance)
    }
}
