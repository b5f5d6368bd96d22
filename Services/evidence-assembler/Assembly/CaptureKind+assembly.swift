import CaptureProtocol

extension CaptureKind {
    /// Whether its file lies on disk while it is published, which takes so long that others must not wait for it.
    var takesLongToAssemble: Bool {
        switch self {
        case .photo, .hashOnly, .hashOnlyVideo: false
        case .video: true
        }
    }
}
