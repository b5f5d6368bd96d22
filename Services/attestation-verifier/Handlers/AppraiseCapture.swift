import Attestation
import CaptureProtocol
import Crypto
import Delivery
import Foundation
import Logging
import MediaStore
import Metrics
import Models
import ObjectStorage
import Observability
import Persistence

/// Appraises the assertion of a capture and consumes its counter. A capture seen again gets the stored result.
struct AppraiseCapture: MessageHandler {
    let policy: DevicePolicy
    let database: PostgresPool
    let storage: S3Client
    let publisher: PartPublisher<AttestationAppraised>

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        guard let announcement = try await publisher.begin(message.captureID, answering: context) else { return }
        let device = try await database.withConnection { try await DeviceRepository($0).find(announcement.deviceID) }
        guard let device else { throw RejectedMessage(.deviceUnknown) }
        let appraisal = try await appraise(announcement, device)
        try await record(appraisal, device, announcement, context)
    }

    func giveUp(_ message: CaptureReceived, reason: FailureReason, on connection: PostgresConnection) async throws {
        try await publisher.giveUp(message.captureID, reason: reason, on: connection)
    }

    /// Consumes the counter, stores the findings and announces them, all or nothing.
    private func record(
        _ appraisal: Appraisal, _ device: Device, _ message: CaptureAnnouncement, _ context: MessageContext
    ) async throws {
        try await publisher.publish(message.captureID, answering: context) { connection in
            var findings = appraisal.findings
            if case .verified(let counter) = appraisal.assertion {
                switch try await CounterRepository(connection).consume(counter, device: device.id, capture: message.captureID) {
                case .accepted(let outOfOrder): findings.outOfOrder = outOfOrder
                case .replayed:
                    findings.status = .fail
                    findings.reason = StableWord(.counterReplay)
                }
                FailPoint.reached("attestation-verifier.counter.consumed")
            }
            // Another instance may have been first; what it stored is what counts.
            let stored = try await publisher.results.save(findings, for: message.captureID, on: connection)
            Counter(label: "rial_assertions_total", dimensions: [("status", stored.status.rawValue)]).increment()
        }
    }

    private struct Appraisal {
        var findings: AttestationFindings
        var assertion: AssertionState
    }

    private enum AssertionState {
        case none
        case verified(counter: UInt32)
    }

    private func appraise(_ message: CaptureAnnouncement, _ device: Device) async throws -> Appraisal {
        var findings = AttestationFindings(
            status: .unavailable, level: device.level, environment: device.environment,
            isDevelopmentAttestation: device.isDevelopmentRoot, deviceModel: device.model, hasLiDAR: device.hasLiDAR)
        if device.isRevoked {
            findings.status = .fail
            findings.reason = StableWord(.deviceRevoked)
            return Appraisal(findings: findings, assertion: .none)
        }
        guard device.level == .secureEnclave, let publicKey = device.publicKey, let appID = device.appID else {
            findings.reason = StableWord(.deviceUnverified)
            return Appraisal(findings: findings, assertion: .none)
        }
        guard let assertion = message.assertion else {
            findings.reason = StableWord(.noAssertion)
            return Appraisal(findings: findings, assertion: .none)
        }
        let appraiser = CaptureAssertionAppraiser(publicKeyX963: publicKey, appID: appID)
        let verdict =
            switch message.content {
            case .photo(let content): try await appraise(assertion, by: appraiser, over: content, message)
            }
        switch verdict {
        case .verified(let counter, let binding, let extensions):
            findings.binding = binding
            findings.counter = counter
            let attested = AttestedDevice(device, appID: appID, assertion: extensions)
            let refusal = policy.refusal(of: attested, binding: binding, receivedAt: message.receivedAt)
            findings.status = refusal == nil ? .pass : .unavailable
            findings.reason = refusal.map(StableWord.init)
            if let refusal { Counter(label: "rial_assertions_not_accepted_total", dimensions: [("reason", refusal.rawValue)]).increment() }
            return Appraisal(findings: findings, assertion: .verified(counter: counter))
        case .rejected(let failure):
            findings.status = .fail
            findings.reason = StableWord(failure.reason)
            return Appraisal(findings: findings, assertion: .none)
        }
    }

    private func appraise(
        _ assertion: [UInt8], by appraiser: CaptureAssertionAppraiser, over content: PhotoContent, _ message: CaptureAnnouncement
    ) async throws -> CaptureAssertionVerdict {
        func verdict(_ photoThenDepth: ContentDigest?) -> CaptureAssertionVerdict {
            appraiser.appraise(
                assertion,
                candidates: CaptureClientData.candidates(
                    photo: content.photo.sha256, depth: content.depth.sha256, metadata: ContentDigest(of: message.metadata),
                    photoThenDepth: photoThenDepth))
        }
        let first = verdict(content.photoThenDepth)
        guard first == .rejected(.badSignature), content.photoThenDepth == nil else { return first }
        // The parts came in an order that did not let the gateway hash one after the other.
        return verdict(
            try await storage.acceptedDigest(ofAll: [(content.photo, .original), (content.depth, .depth)], of: message.captureID))
    }
}

extension AssertionFailure {
    fileprivate var reason: HardwareReason {
        switch self {
        case .malformedCBOR: .malformedCBOR
        case .malformedObject: .malformedObject
        case .malformedAuthData: .malformedAuthData
        case .keyType: .keyType
        case .badSignature: .badSignature
        case .appIDMismatch: .appIDMismatch
        case .counterReplay: .counterReplay
        }
    }
}
