// What the adapters use of ARKit.
public import CoreVideo
public import Foundation

// iOS 11.0: https://developer.apple.com/documentation/arkit/arconfiguration
open class ARConfiguration: NSObject {
    // iOS 13.0: https://developer.apple.com/documentation/arkit/arconfiguration/framesemantics-swift.struct
    public struct FrameSemantics: OptionSet, Sendable {
        // iOS 13.0: https://developer.apple.com/documentation/arkit/arconfiguration/framesemantics-swift.struct/rawvalue
        public let rawValue: UInt
        // iOS 13.0: https://developer.apple.com/documentation/arkit/arconfiguration/framesemantics-swift.struct/init(rawvalue:)
        public init(rawValue: UInt) { self.rawValue = rawValue }
        // iOS 14.0: https://developer.apple.com/documentation/arkit/arconfiguration/framesemantics-swift.struct/scenedepth
        public static var sceneDepth: FrameSemantics { fatalError() }
    }
    // iOS 13.0: https://developer.apple.com/documentation/arkit/arconfiguration/supportsframesemantics(_:)
    open class func supportsFrameSemantics(_ frameSemantics: FrameSemantics) -> Bool { fatalError() }
}

// iOS 11.0: https://developer.apple.com/documentation/arkit/arworldtrackingconfiguration
open class ARWorldTrackingConfiguration: ARConfiguration {}

// iOS 11.0: https://developer.apple.com/documentation/arkit/arframe
open class ARFrame: NSObject {
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arframe/timestamp
    open var timestamp: TimeInterval { fatalError() }
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arframe/capturedimage
    open var capturedImage: CVPixelBuffer { fatalError() }
    // iOS 14.0: https://developer.apple.com/documentation/arkit/arframe/scenedepth
    open var sceneDepth: ARDepthData? { fatalError() }
}

// iOS 14.0: https://developer.apple.com/documentation/arkit/ardepthdata
open class ARDepthData: NSObject {
    // iOS 14.0: https://developer.apple.com/documentation/arkit/ardepthdata/depthmap
    open var depthMap: CVPixelBuffer { fatalError() }
}
