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
