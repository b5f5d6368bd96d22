// What the adapters use of Image I/O.
public import CoreFoundationOnApple

// iOS 4.0: https://developer.apple.com/documentation/imageio/kcgimagedestinationlossycompressionquality
public var kCGImageDestinationLossyCompressionQuality: CFString { fatalError() }
