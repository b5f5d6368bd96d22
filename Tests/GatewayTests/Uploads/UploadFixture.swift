import CaptureProtocol
import Foundation
import Models
import ServiceRuntime
import TestSupport

@testable import Gateway

extension RecordingCondition {
    /// Of an upload of a photo.
    init(openUpload: UUID, refusal: any RecordingRefusal) {
        self.init(openUpload: openUpload, refusal: refusal) { id in
            let capture = AcceptedCapture(captureID: id, type: nil, status: .processing, verificationURL: "\(publicURL)/verify/\(id)")
            return UploadAnswer(isNew: true, capture: capture)
        }
    }
}

/// What an upload meets on its way to a capture, in memory.
struct UploadFixture {
    /// Where the client is.
    static let address = "192.0.2.1"
    let captures = MemoryCaptures()
    let uploads: MemoryUploads
    let store = MemoryObjectStore()
    let devices = MemoryDevices()
    let buckets = MemoryTokenBuckets()
    let runs = UploadRuns()
    private(set) var limits: RateLimits
    /// One at a time.
    private(set) var permits = ConcurrencyLimit("uploads", .init(total: 1), metric: "tests")

    init() throws {
        uploads = MemoryUploads(of: captures)
        limits = try RateLimits(ServiceEnvironment([:]))
    }

    /// The same with other limits.
    func limited(by variables: [String: String]) throws -> UploadFixture {
        var other = self
        other.limits = try RateLimits(ServiceEnvironment(variables))
        return other
    }

    /// The same with other places.
    func with(_ places: PermitLedger.Limits) -> UploadFixture {
        var other = self
        other.permits = ConcurrencyLimit("uploads", places, metric: "tests")
        return other
    }

    /// The same, once with one place for each device and once with one for each address. That of the client is taken.
    func crowded(by device: KnownDevice) throws -> [(parts: UploadFixture, held: ConcurrencyLimit.Permit)] {
        let (byDevice, byAddress) = (with(.init(total: 0, perDevice: 1)), with(.init(total: 0, perAddress: 1)))
        return [
            (byDevice, try byDevice.permits.acquire(address: "192.0.2.9", device: device.id.description)),
            (byAddress, try byAddress.permits.acquire(address: Self.address)),
        ]
    }

    var rates: CaptureRates { CaptureRates(buckets: buckets, limits: limits) }
    var authenticator: DeviceAuthenticator { DeviceAuthenticator(devices: devices, buckets: buckets, limits: limits) }
    var resumable: ResumableUploads {
        ResumableUploads(
            uploads: uploads, runs: runs, storage: store, devices: devices,
            acceptance: CaptureAcceptance(
                upload: CaptureUpload(captures: captures, intakes: captures, storage: store), rates: rates))
    }

    /// Counts a capture of the device.
    func count(_ type: CaptureType, of device: KnownDevice) async throws {
        _ = try await buckets.debit(limits.captures(type, ofVerified: device.isVerified), device.id.description)
    }

    /// Whether the only place is free.
    var hasPlace: Bool { (try? permits.acquire(address: "192.0.2.9")) != nil }

    /// The objects of a photo.
    func keys(of capture: CaptureID) -> Set<String> { Set([MediaName.original, .depth, .metadata].map { $0.key(of: capture) }) }
}
