import CaptureKit
import Depth
import Imaging

/// The brightness of a photo that is a file, for the comparison with its depth map: as the server takes it from a photo that is sent, so
/// that both measure the same. A phone has the camera's.
enum PhotoLuma {
    /// - Returns: `nil` if the photo cannot be decoded.
    static func plane(of jpeg: [UInt8], depthWidth: Int, depthHeight: Int) -> LumaPlane? {
        let gray = try? PhotoVariants(jpeg).luma(covering: DepthMap.measuredSize(width: depthWidth, height: depthHeight))
        return gray.flatMap { LumaPlane(pixels: $0.pixels, width: $0.width, height: $0.height) }
    }
}
