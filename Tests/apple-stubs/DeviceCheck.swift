// What the adapters use of DeviceCheck.
public import Foundation

// iOS 14.0: https://developer.apple.com/documentation/devicecheck/dcappattestservice
open class DCAppAttestService: NSObject {
    // iOS 14.0: https://developer.apple.com/documentation/devicecheck/dcappattestservice/shared
    open class var shared: DCAppAttestService { fatalError() }
    // iOS 14.0: https://developer.apple.com/documentation/devicecheck/dcappattestservice/issupported
    open var isSupported: Bool { fatalError() }
    // iOS 14.0: https://developer.apple.com/documentation/devicecheck/dcappattestservice/generatekey(completionhandler:)
    open func generateKey() async throws -> String { fatalError() }
    // iOS 14.0: https://developer.apple.com/documentation/devicecheck/dcappattestservice/attestkey(_:clientdatahash:completionhandler:)
    open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data { fatalError() }
    // iOS 14.0: https://developer.apple.com/documentation/devicecheck/dcappattestservice/generateassertion(_:clientdatahash:completionhandler:)
    open func generateAssertion(_ keyId: String, clientDataHash: Data) async throws -> Data { fatalError() }
}

// iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct
public struct DCError: Error {
    // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct/code
    public enum Code: Int, Sendable {
        // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct/code/unknownsystemfailure
        case unknownSystemFailure
        // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct/code/featureunsupported
        case featureUnsupported
        // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct/code/invalidinput
        case invalidInput
        // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct/code/invalidkey
        case invalidKey
        // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct/code/serverunavailable
        case serverUnavailable
    }
    // iOS 11.0: https://developer.apple.com/documentation/devicecheck/dcerror-swift.struct
    public var code: Code { fatalError() }
}
