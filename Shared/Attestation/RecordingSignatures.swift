public import CaptureProtocol
public import Foundation
public import Models

/// The appraisal of all assertions of a recording (SPEC §10.4), except whether their counters are new.
public struct RecordingSignatures: Sendable {
    public let appraisal: HardwareAppraisal
    /// The counters of all assertions that verify, in the order in which the assertions were made.
    public let counters: [UInt32]
    /// For each checkpoint whether its assertion verifies.
    public let verifiedCheckpoints: [Bool]

    /// - Parameters:
    ///   - assertion: over the whole recording; `nil` if none was sent.
    ///   - hash: its client data hash.
    public init(
        of chain: HashChain, final assertion: [UInt8]?, over hash: ContentDigest, by device: RegisteredDevice,
        _ appraiser: CaptureAppraiser, at receivedAt: Date
    ) {
        let checkpoints = chain.checkpoints.map { checkpoint in
            checkpoint.assertion.map {
                appraiser.appraise(
                    $0, by: device, over: [(.checkpoint, VideoClientData.hash(of: checkpoint))], receivedAt: receivedAt)
            }
        }
        let final = assertion.map {
            appraiser.appraise($0, by: device, over: [(.videoDepthMetadata, hash)], receivedAt: receivedAt)
        }
        let present = checkpoints.compactMap(\.self) + (final.map { [$0] } ?? [])
        counters = present.compactMap { $0.signed?.counter }
        verifiedCheckpoints = checkpoints.map { $0?.signed != nil }
        let isRising = zip(counters, counters.dropFirst()).allSatisfy(<)
        if let contradiction = Self.contradiction(checkpoints.compactMap(\.self), final) {
            appraisal = contradiction
        } else if !isRising {
            appraisal = .fail(.counterOrder)
        } else {
            // Without any assertion the device's state decides.
            appraisal = present.last ?? appraiser.appraise(nil, by: device, over: [], receivedAt: receivedAt)
        }
    }

    /// In the original layout an assertion covers nothing that was uploaded (SPEC §10.5).
    public init(
        original assertion: [UInt8]?, over chain: OriginalHashChain, by device: RegisteredDevice, _ appraiser: CaptureAppraiser,
        at receivedAt: Date
    ) {
        let candidates = VideoClientData.original(finalHash: chain.finalHash).map { (AssertionBinding.checkpoint, $0) }
        let found = appraiser.appraise(assertion, by: device, over: candidates, receivedAt: receivedAt)
        counters = found.signed.map { [$0.counter] } ?? []
        verifiedCheckpoints = []
        switch found {
        case .pass: appraisal = .inconclusive(.mediaNotBound)
        case .fail, .inconclusive: appraisal = found
        case .unavailable(let reason, _): appraisal = .unavailable(reason, signed: nil)
        }
    }

    /// Every assertion that is there must verify.
    private static func contradiction(_ checkpoints: [HardwareAppraisal], _ final: HardwareAppraisal?) -> HardwareAppraisal? {
        for case .fail(let reason) in checkpoints {
            return reason == StableWord(.deviceRevoked) ? .fail(reason) : .fail(.checkpointInvalid)
        }
        if case .fail(let reason)? = final { return .fail(reason) }
        return nil
    }
}
