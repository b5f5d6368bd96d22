public import CaptureProtocol
public import Models

extension HardwareAppraisal {
    /// An outcome with this status, and with what it cannot be without.
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
