import CaptureProtocol
import Foundation
import Logging
import Multipart
import NIOCore

/// Receives the whole body of a capture from a device that may send it, and counts it against the limits. Both ways of uploading end here,
/// each attempt under a capture id of its own.
struct CaptureAcceptance: Sendable {
    let upload: CaptureUpload
    let buckets: TokenBuckets
    let limits: RateLimits

    /// A capture that the server is responsible for from now on.
    struct Accepted: Sendable {
        let id: CaptureID
        let status: CaptureStatus
        /// False if the device has sent the same capture before.
        let isNew: Bool
        /// The state of the device's limit; `nil` without one.
        let allowance: RateAllowance?
    }

    /// Checks the limits of device and address without counting anything.
    /// - Throws: ``RateLimitExceeded``.
    func peek(_ device: KnownDevice, from address: ClientAddress) async throws {
        try await buckets.peek(limits.captures(ofVerified: device.isVerified), device.id.description)
        try await buckets.peek(limits.capturesOfAddress, address.description)
    }

    /// - Parameters:
    ///   - receivedAt: when the last byte came; `nil` for now, after the body was read.
    ///   - authenticate: gets the SHA-256 of the whole body; throws if it is not what the device signed.
    /// - Throws: as ``CaptureUpload/take(_:boundary:from:receivedAt:logger:authenticate:admit:)``, and ``RateLimitExceeded``.
    func accept(
        _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable, boundary: MultipartBoundary, from device: KnownDevice,
        at address: ClientAddress, receivedAt: Date? = nil, logger: Logger, authenticate: (ContentDigest) async throws -> Void
    ) async throws -> Accepted {
        var allowance: RateAllowance?
        let (id, recorded) = try await upload.take(
            body, boundary: boundary, from: device.id, receivedAt: receivedAt, logger: logger, authenticate: authenticate,
            admit: {
                allowance = try await buckets.debit(limits.captures(ofVerified: device.isVerified), device.id.description)
                try await buckets.debit(limits.capturesOfAddress, address.description)
            })
        switch recorded {
        case .new: return Accepted(id: id, status: .processing, isNew: true, allowance: allowance)
        case .known(let known): return Accepted(id: known.id, status: known.status, isNew: false, allowance: allowance)
        }
    }
}
