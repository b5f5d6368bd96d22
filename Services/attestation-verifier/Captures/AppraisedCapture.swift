import Attestation
import CaptureProtocol
import Delivery
import Models
import VideoChain

/// The result of consuming a counter.
enum CounterUse: Sendable, Equatable {
    /// The capture owns the counter, from now or from an earlier delivery. `outOfOrder` if the device had already used a higher one.
    case accepted(outOfOrder: Bool)
    /// Another capture used it.
    case replayed
}

/// The appraisal of a capture before the counter check: only the transaction that consumes the counters can tell whether they are fresh,
/// and whether the device has been revoked meanwhile.
struct AppraisedCapture: Sendable {
    let device: Device
    let appraisal: HardwareAppraisal
    /// The counters of all assertions that verify, in the order in which the assertions were made.
    let counters: [UInt32]
    /// The chain of a video that is stored; `nil` for other captures.
    let chain: RecordedChain?
    /// What is said of the chain of a hash-only video, which nobody can compute here; `nil` for other captures.
    let untold: HashChainEvidence?

    init(device: Device, appraisal: HardwareAppraisal, untold: HashChainEvidence? = nil) {
        self.device = device
        self.untold = untold
        self.appraisal = appraisal
        counters = appraisal.signed.map { [$0.counter] } ?? []
        chain = nil
    }

    init(device: Device, recording: AppraisedRecording) {
        self.device = device
        appraisal = recording.appraisal
        untold = nil
        counters = recording.counters
        chain = recording.chain
    }

    /// - Parameter uses: the results of consuming the counters.
    func findings(_ uses: [CounterUse]) -> AttestationFindings {
        if uses.contains(.replayed) { return findings(settled: .fail(.counterReplay)) }
        if uses.isEmpty { return findings(settled: appraisal) }
        return findings(settled: appraisal.consumed(isOutOfOrder: uses.contains(.accepted(outOfOrder: true))))
    }

    /// The findings if the device has been revoked since it was read. No counter is consumed.
    var revoked: AttestationFindings { findings(settled: .fail(.deviceRevoked)) }

    /// For a device that is not revoked now.
    /// - Throws: ``DependencyUnavailable`` if it was revoked when it was read. Its assertions were not looked at then, and findings are
    ///   final: the next attempt reads the device again, as often as it takes.
    func requireReadUnrevoked() throws {
        if device.registered.isRevoked { throw DependencyUnavailable("device", "was restored while its capture was appraised") }
    }

    private func findings(settled: HardwareAppraisal) -> AttestationFindings {
        AttestationFindings(
            settled, level: device.registered.level, environment: device.registered.environment,
            isDevelopmentAttestation: device.registered.isDevelopmentRoot, deviceModel: device.model, hasLiDAR: device.hasLiDAR,
            attestationDigest: device.attestationDigest, hashChain: chain?.evidence(settled) ?? untold)
    }
}
