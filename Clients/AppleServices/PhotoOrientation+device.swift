public import CaptureKit
public import UIKit

extension PhotoOrientation {
    /// How a picture of the back camera is turned upright when the device is held so; `nil` if it lies flat or nobody knows.
    public init?(_ device: UIDeviceOrientation) {
        switch device {
        case .portrait: self = .right
        case .portraitUpsideDown: self = .left
        case .landscapeLeft: self = .up
        case .landscapeRight: self = .down
        case .unknown, .faceUp, .faceDown: return nil
        @unknown default: return nil
        }
    }
}
