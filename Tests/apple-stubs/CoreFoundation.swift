// What the adapters use of Core Foundation, which Apple's Foundation brings along and Linux's does not.
// Core Foundation's types are those of Foundation here, as they are bridged there: `as` is necessary from Swift's types.
public import DispatchOnApple
public import Foundation

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cftyperef
public typealias CFTypeRef = AnyObject

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cfallocator
public final class CFAllocator {}

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cfstring
public typealias CFString = NSString

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cfdictionary
public typealias CFDictionary = NSDictionary

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cfdata
public typealias CFData = NSData

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cferror
public typealias CFError = NSError

// iOS 2.0: https://developer.apple.com/documentation/corefoundation/cfwritestream
public typealias CFWriteStream = OutputStream

// iOS 7.0: https://developer.apple.com/documentation/corefoundation/cfwritestreamsetdispatchqueue(_:_:)
// Apple's takes any DispatchQueue.
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ q: DispatchSerialQueue!) {}
