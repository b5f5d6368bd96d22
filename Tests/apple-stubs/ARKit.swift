// What the adapters use of ARKit.
public import CoreMedia
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
    // iOS 13.0: https://developer.apple.com/documentation/arkit/arconfiguration/framesemantics-swift.property
    open var frameSemantics: FrameSemantics = []
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arconfiguration/providesaudiodata
    open var providesAudioData = false
}

// iOS 11.0: https://developer.apple.com/documentation/arkit/arworldtrackingconfiguration
open class ARWorldTrackingConfiguration: ARConfiguration {
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arworldtrackingconfiguration/init()
    public override init() {}
}

// iOS 11.0: https://developer.apple.com/documentation/arkit/arsession
open class ARSession: NSObject {}

// iOS 11.0: https://developer.apple.com/documentation/arkit/arsessionobserver
// The methods are optional at Apple's; here they are required, so that a misspelt one does not go unnoticed.
public protocol ARSessionObserver: NSObjectProtocol {
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arsessionobserver/session(_:didfailwitherror:)
    func session(_ session: ARSession, didFailWithError error: any Error)
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arsessionobserver/sessionwasinterrupted(_:)
    func sessionWasInterrupted(_ session: ARSession)
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arsessionobserver/sessioninterruptionended(_:)
    func sessionInterruptionEnded(_ session: ARSession)
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arsessionobserver/session(_:didoutputaudiosamplebuffer:)
    func session(_ session: ARSession, didOutputAudioSampleBuffer audioSampleBuffer: CMSampleBuffer)
}

// iOS 11.0: https://developer.apple.com/documentation/arkit/arsessiondelegate
public protocol ARSessionDelegate: ARSessionObserver {
    // iOS 11.0: https://developer.apple.com/documentation/arkit/arsessiondelegate/session(_:didupdate:)
    func session(_ session: ARSession, didUpdate frame: ARFrame)
}

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
