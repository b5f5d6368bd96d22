import Attestation
import CaptureProtocol
import Delivery
import MediaStore
import Metrics
import Models
import ObjectStorage

/// Appraises the assertion of a capture; its counter is consumed with the findings.
struct AppraiseCapture: PartWork {
    typealias Part = AttestationAppraised
    let appraiser: CaptureAppraiser
    let devices: any DeviceRepository
    let storage: any ObjectStore

    func compute(_ announcement: CaptureAnnouncement) async throws -> AppraisedCapture {
        guard let device = try await devices.find(announcement.deviceID) else { throw RejectedMessage(.deviceUnknown) }
        switch announcement.content {
        case .photo(let content):
            return AppraisedCapture(device: device, appraisal: try await appraise(content, announcement, by: device.registered))
        }
    }

    private func appraise(
        _ content: PhotoContent, _ announcement: CaptureAnnouncement, by device: RegisteredDevice
    ) async throws -> HardwareAppraisal {
        let metadata = ContentDigest(of: announcement.metadata)
        func appraise(_ photoThenDepth: ContentDigest?) -> HardwareAppraisal {
            let candidates = CaptureClientData.candidates(
                photo: content.photo.sha256, depth: content.depth.sha256, metadata: metadata,
                photoThenDepth: photoThenDepth)
            return appraiser.appraise(announcement.assertion, by: device, over: candidates, receivedAt: announcement.receivedAt)
        }
        let first = appraise(content.photoThenDepth)
        guard first == .fail(.badSignature), content.photoThenDepth == nil else { return first }
        // The parts came in an order that did not let the gateway hash one after the other.
        return appraise(
            try await storage.acceptedDigest(ofAll: [(content.photo, .original), (content.depth, .depth)], of: announcement.captureID))
    }

    func count(_ findings: AttestationFindings) {
        Counter(label: "rial_assertions_total", dimensions: [("status", findings.appraisal.status.rawValue)]).increment()
        if case .unavailable(let reason, _?) = findings.appraisal {
            Counter(label: "rial_assertions_not_accepted_total", dimensions: [("reason", reason.text)]).increment()
        }
    }
}

/// What consuming a counter came to.
enum CounterUse: Sendable, Equatable {
    /// It is this capture's now, or was before. Out of order if a higher one had been used earlier.
    case accepted(outOfOrder: Bool)
    /// Another capture has it.
    case replayed
}

/// The appraisal of a capture, up to its counter: whether that is fresh, only the transaction that consumes it can say.
struct AppraisedCapture: Sendable {
    let device: Device
    let appraisal: HardwareAppraisal

    /// - Parameter use: what consuming the counter came to; `nil` if nothing was signed that has one.
    func findings(_ use: CounterUse?) -> AttestationFindings {
        let settled: HardwareAppraisal =
            switch use {
            case nil: appraisal
            case .accepted(let isOutOfOrder)?: appraisal.consumed(isOutOfOrder: isOutOfOrder)
            case .replayed?: .fail(.counterReplay)
            }
        return AttestationFindings(
            settled, level: device.registered.level, environment: device.registered.environment,
            isDevelopmentAttestation: device.registered.isDevelopmentRoot, deviceModel: device.model, hasLiDAR: device.hasLiDAR)
    }
}
