// What the adapters use of UIKit.
public import Foundation

// iOS 2.0: https://developer.apple.com/documentation/uikit/uidevice
@MainActor
open class UIDevice: NSObject {
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uidevice/current
    open class var current: UIDevice { fatalError() }
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uidevice/systemversion
    open var systemVersion: String { fatalError() }
}

// iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation
public enum UIDeviceOrientation: Int, Sendable {
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/unknown
    case unknown
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/portrait
    case portrait
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/portraitupsidedown
    case portraitUpsideDown
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/landscapeleft
    case landscapeLeft
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/landscaperight
    case landscapeRight
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/faceup
    case faceUp
    // iOS 2.0: https://developer.apple.com/documentation/uikit/uideviceorientation/facedown
    case faceDown
}
