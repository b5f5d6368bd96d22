public import CaptureProtocol
public import Models

extension HardwareAppraisal {
    /// An appraisal with this status and its required associated values.
    public static func sample(
        _ status: CheckStatus, binding: AssertionBinding? = nil, reason: HardwareReason? = nil, counter: UInt32 = 7,
        isOutOfOrder: Bool = false
    ) -> HardwareAppraisal {
        let signed = binding.map { SignedCapture(binding: $0, counter: counter, isOutOfOrder: isOutOfOrder) }
        switch status {
        case .pass:
            return .pass(signed ?? SignedCapture(binding: .photoDepthMetadata, counter: counter, isOutOfOrder: isOutOfOrder))
        case .fail: return .fail(reason ?? .badSignature)
        case .inconclusive, .unavailable: return .unavailable(reason ?? .deviceUnverified, signed: signed)
        }
    }
}
