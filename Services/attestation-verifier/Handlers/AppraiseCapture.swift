import Attestation
import CaptureProtocol
import Delivery
import MediaStore
import Metrics
import Models
import ObjectStorage

/// Appraises the assertion of a capture. Its counter is consumed in the transaction that saves the findings.
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
        case .hashOnly:
            let appraisal = appraiser.appraise(
                announcement.assertion, by: device.registered,
                over: [(.payload, HashOnlyClientData.hash(payload: announcement.metadata))], receivedAt: announcement.receivedAt)
            return AppraisedCapture(device: device, appraisal: appraisal)
        case .video: throw RejectedMessage(.captureUnreadable, detail: "a video")
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
        // The depth part arrived before the photo, so the gateway could not hash photo then depth while streaming: hash the stored objects.
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

/// The result of consuming a counter.
enum CounterUse: Sendable, Equatable {
    /// The capture owns the counter, from now or from an earlier delivery. `outOfOrder` if the device had already used a higher one.
    case accepted(outOfOrder: Bool)
    /// Another capture used it.
    case replayed
}

/// The appraisal of a capture before the counter check: only the transaction that consumes the counter can tell whether it is fresh.
struct AppraisedCapture: Sendable {
    let device: Device
    let appraisal: HardwareAppraisal

    /// - Parameter use: the result of consuming the counter; `nil` if there is no signature and so no counter.
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
