public import ARKit
public import CaptureKit
import CoreGraphics
import CoreImage
import Foundation
import ImageIO

/// Makes frames of captures of ARKit's frames. Keep one: Core Image sets itself up once for it.
public struct FrameConverter {
    private let context = CIContext(options: nil)
    private let quality: Double

    /// - Parameter quality: of the JPEG, 0...1.
    public init(quality: Double = 0.85) { self.quality = quality }

    /// Copies the picture, its brightness and the depth map, so that ARKit has its buffers back: it stops giving frames while too many are
    /// kept.
    /// - Parameters:
    ///   - clock: both clocks, read when the frame arrived; `frame.timestamp` is no time of day.
    ///   - orientation: of the picture, which lies on its side as the sensor does: ``PhotoOrientation/right`` for a phone held upright.
    /// - Returns: a frame without depth if ARKit gave none, or none of float32; ``FrameProcessor`` refuses it (`noDepthData`).
    /// - Throws: ``FrameError`` `jpegConversionFailed`.
    public func convert(
        _ frame: ARFrame, clock: ClockPairing = .now(), orientation: PhotoOrientation, thumbnail: [UInt8]? = nil
    ) throws(FrameError) -> CapturedFrame {
        let depth = LockedDepthMap.read(of: frame) { map in
            try? DepthPlane(copying: map.bytes, bytesPerRow: map.bytesPerRow, width: map.width, height: map.height)
        }
        return CapturedFrame(
            jpeg: try jpeg(of: CIImage(cvPixelBuffer: frame.capturedImage)), depth: depth ?? nil,
            luma: CameraLuma.plane(of: frame.capturedImage), uptime: frame.timestamp, clock: clock, orientation: orientation,
            thumbnail: thumbnail)
    }

    private func jpeg(of image: CIImage) throws(FrameError) -> [UInt8] {
        let option = CIImageRepresentationOption(rawValue: kCGImageDestinationLossyCompressionQuality as String)
        guard let space = CGColorSpace(name: CGColorSpace.sRGB),
            let data = context.jpegRepresentation(of: image, colorSpace: space, options: [option: quality])
        else { throw .jpegConversionFailed("Core Image made no JPEG of the frame") }
        return Array(data)
    }
}
