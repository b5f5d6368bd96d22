public import CaptureKit
public import CoreVideo

/// The brightness in a camera's picture, with which privacy mode compares the depth map.
public enum CameraLuma {
    /// Copies the first plane of a buffer such as `ARFrame.capturedImage`.
    /// - Returns: `nil` if the buffer is not 4:2:0 in two planes with the full range, as ARKit's are, or cannot be locked.
    public static func plane(of buffer: CVPixelBuffer) -> LumaPlane? {
        guard CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
            CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess
        else { return nil }
        defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
        guard let start = CVPixelBufferGetBaseAddressOfPlane(buffer, 0) else { return nil }
        let bytesPerRow = CVPixelBufferGetBytesPerRowOfPlane(buffer, 0)
        let height = CVPixelBufferGetHeightOfPlane(buffer, 0)
        return LumaPlane(
            copying: UnsafeRawBufferPointer(start: start, count: bytesPerRow * height), bytesPerRow: bytesPerRow,
            width: CVPixelBufferGetWidthOfPlane(buffer, 0), height: height)
    }
}
