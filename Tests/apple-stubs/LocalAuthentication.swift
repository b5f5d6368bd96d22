// What signatures in CryptoKit need of LocalAuthentication.
public import Foundation

// iOS 8.0: https://developer.apple.com/documentation/localauthentication/lacontext
open class LAContext: NSObject {}
