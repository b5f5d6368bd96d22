import ARKit
public import CaptureKit
import Foundation
import UIKit

/// What this device says of itself. Read once, on the main actor, since `UIDevice` belongs to it.
public struct ThisDevice: DeviceInfo {
    public let hardwareIdentifier: String
    public let hasLiDAR: Bool
    public let systemVersion: String
    public let appVersion: String?

    @MainActor
    public init() {
        var system = utsname()
        uname(&system)
        hardwareIdentifier = withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        hasLiDAR = ARWorldTrackingConfiguration.supportsFrameSemantics(.sceneDepth)
        systemVersion = UIDevice.current.systemVersion
        appVersion = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
    }
}
