import Attestation
import CaptureProtocol
import Delivery
import MediaStore
import Metrics
import Models
import ObjectStorage
import Observability
import Persistence

/// Appraises the assertion of a capture and consumes its counter.
struct AppraiseCapture: PartWork {
    typealias Part = AttestationAppraised
    typealias Computed = (device: Device, appraisal: HardwareAppraisal)
    let appraiser: CaptureAppraiser
    let database: PostgresPool
    let storage: any ObjectStore

    func compute(_ announcement: CaptureAnnouncement) async throws -> Computed {
        let device = try await database.withConnection { try await DeviceRepository($0).find(announcement.deviceID) }
        guard let device else { throw RejectedMessage(.deviceUnknown) }
        switch announcement.content {
        case .photo(let content): return (device, try await appraise(content, announcement, by: device.registered))
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

    /// Consumes the counter with the findings, all or nothing.
    func save(
        _ computed: Computed, of announcement: CaptureAnnouncement, with results: PartResults<Part>, on connection: PostgresConnection
    ) async throws -> AttestationFindings {
        let device = computed.device
        var findings = AttestationFindings(
            computed.appraisal, level: device.registered.level, environment: device.registered.environment,
            isDevelopmentAttestation: device.registered.isDevelopmentRoot, deviceModel: device.model, hasLiDAR: device.hasLiDAR)
        if let signed = computed.appraisal.signed {
            let counters = CounterRepository(connection)
            switch try await counters.consume(signed.counter, device: device.id, capture: announcement.captureID) {
            case .accepted(let outOfOrder): findings.appraisal = computed.appraisal.consumed(isOutOfOrder: outOfOrder)
            case .replayed: findings.appraisal = .fail(.counterReplay)
            }
            FailPoint.reached("attestation-verifier.counter.consumed")
        }
        return try await results.save(findings, for: announcement.captureID, on: connection)
    }

    func count(_ findings: AttestationFindings) {
        Counter(label: "rial_assertions_total", dimensions: [("status", findings.appraisal.status.rawValue)]).increment()
        if case .unavailable(let reason, _?) = findings.appraisal {
            Counter(label: "rial_assertions_not_accepted_total", dimensions: [("reason", reason.text)]).increment()
        }
    }
}
