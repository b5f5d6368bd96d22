import CaptureProtocol

/// The kinds of item as which the parts of a recording are sealed: those that are sent, or in privacy mode those that are only kept, which
/// nothing that sends opens.
struct VideoPartKinds {
    let video: SealedKind
    let depth: SealedKind
    let metadata: SealedKind
    let hashChain: SealedKind

    init(of mode: CaptureMode) {
        switch mode {
        case .full: (video, depth, metadata, hashChain) = (.video, .depth, .metadata, .hashChain)
        case .hashOnly: (video, depth, metadata, hashChain) = (.original, .originalDepth, .originalMetadata, .originalHashChain)
        }
    }
}
