// What the adapters use of Security.
public import CoreFoundationOnApple
public import Foundation

// iOS 2.0: https://developer.apple.com/documentation/kernel/osstatus
public typealias OSStatus = Int32

// iOS 2.0: https://developer.apple.com/documentation/security/secitemadd(_:_:)
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/secitemcopymatching(_:_:)
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/secitemupdate(_:_:)
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/secitemdelete(_:)
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecclass
public var kSecClass: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecclassgenericpassword
public var kSecClassGenericPassword: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecattrservice
public var kSecAttrService: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecattraccount
public var kSecAttrAccount: CFString { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/security/ksecattraccessible
public var kSecAttrAccessible: CFString { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/security/ksecattraccessibleafterfirstunlock
public var kSecAttrAccessibleAfterFirstUnlock: CFString { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/security/ksecattraccessibleafterfirstunlockthisdeviceonly
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecvaluedata
public var kSecValueData: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecreturndata
public var kSecReturnData: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecmatchlimit
public var kSecMatchLimit: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/ksecmatchlimitone
public var kSecMatchLimitOne: CFString { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/errsecsuccess
public var errSecSuccess: OSStatus { 0 }

// iOS 2.0: https://developer.apple.com/documentation/security/errsecduplicateitem
public var errSecDuplicateItem: OSStatus { -25299 }

// iOS 2.0: https://developer.apple.com/documentation/security/errsecitemnotfound
public var errSecItemNotFound: OSStatus { -25300 }

// iOS 2.0: https://developer.apple.com/documentation/security/errsecinteractionnotallowed
public var errSecInteractionNotAllowed: OSStatus { -25308 }

// iOS 8.0: https://developer.apple.com/documentation/security/secaccesscontrol
public final class SecAccessControl {}

// iOS 8.0: https://developer.apple.com/documentation/security/secaccesscontrolcreateflags
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    // iOS 8.0: https://developer.apple.com/documentation/security/secaccesscontrolcreateflags/rawvalue
    public let rawValue: UInt
    // iOS 8.0: https://developer.apple.com/documentation/security/secaccesscontrolcreateflags/init(rawvalue:)
    public init(rawValue: UInt) { self.rawValue = rawValue }
    // iOS 9.0: https://developer.apple.com/documentation/security/secaccesscontrolcreateflags/privatekeyusage
    public static var privateKeyUsage: SecAccessControlCreateFlags { fatalError() }
}

// iOS 8.0: https://developer.apple.com/documentation/security/secaccesscontrolcreatewithflags(_:_:_:_:)
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/security/sectrust
public final class SecTrust {}

// iOS 2.0: https://developer.apple.com/documentation/security/seckey
public final class SecKey {}

// iOS 12.0: https://developer.apple.com/documentation/security/sectrustevaluatewitherror(_:_:)
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { fatalError() }

// iOS 14.0: https://developer.apple.com/documentation/security/sectrustcopykey(_:)
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { fatalError() }

// iOS 10.0: https://developer.apple.com/documentation/security/seckeycopyexternalrepresentation(_:_:)
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? { fatalError() }

// iOS 13.0: https://developer.apple.com/documentation/security/tls_protocol_version_t
// swift-format-ignore: TypeNamesShouldBeCapitalized
public enum tls_protocol_version_t: UInt16, Sendable {
    // iOS 13.0: https://developer.apple.com/documentation/security/tls_protocol_version_t/tlsv12
    case TLSv12 = 0x0303
    // iOS 13.0: https://developer.apple.com/documentation/security/tls_protocol_version_t/tlsv13
    case TLSv13 = 0x0304
}
