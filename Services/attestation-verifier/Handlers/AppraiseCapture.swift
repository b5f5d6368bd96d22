import Attestation
import CaptureProtocol
import Delivery
import MediaStore
import Metrics
import Models
import ObjectStorage
import VideoChain

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
        case .hashOnly(let payload):
            let appraisal = appraiser.appraise(
                announcement.assertion, by: device.registered,
                over: [(.payload, HashOnlyClientData.hash(payload: announcement.metadata))], receivedAt: announcement.receivedAt)
            return AppraisedCapture(
                device: device, appraisal: appraisal, untold: payload.video.map { HashChainEvidence(notStored: $0) })
        case .video(let content):
            let recording = try await VideoAppraiser(appraiser: appraiser, storage: storage)
                .appraise(content, announcement, by: device.registered)
            return AppraisedCapture(device: device, recording: recording)
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
        // Without the digest of photo then depth, the depth part arrived first, so that the gateway could not hash them together. If there
        // is one, nobody else compares it with the bytes, as the other digests are: until then a signature over it says nothing.
        let isUnknown = content.photoThenDepth == nil && first == .fail(.badSignature)
        guard isUnknown || first.signed?.binding == .photoDepth else { return first }
        return appraise(
            try await storage.acceptedDigest(ofAll: [(content.photo, .original), (content.depth, .depth)], of: announcement.captureID))
    }

    func count(_ findings: AttestationFindings) {
        Counter(label: "rial_assertions_total", dimensions: [("status", findings.appraisal.status.rawValue)]).increment()
        if case .unavailable(let reason, _?) = findings.appraisal { Self.countNotAccepted(reason) }
    }

    private static func countNotAccepted(_ reason: StableWord<HardwareReason>, by count: Int = 1) {
        Counter(label: "rial_assertions_not_accepted_total", dimensions: [("reason", reason.text)]).increment(by: count)
    }

    /// Shows the counters that an alarm looks at before there is anything to count, so that the first time is an increase.
    static func showCounters() {
        for reason in [HardwareReason.appNotAccepted, .environmentMismatch] { countNotAccepted(StableWord(reason), by: 0) }
    }
}
