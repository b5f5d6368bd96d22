public import ARKit
public import CoreVideo
public import Foundation

/// A depth map of float32 metres, locked in memory for the time of a call. What is needed longer must be copied.
public struct LockedDepthMap {
    /// `bytesPerRow` × `height` bytes; rows may be longer than their pixels.
    public let bytes: UnsafeRawBufferPointer
    public let bytesPerRow: Int
    public let width: Int
    public let height: Int
    /// Seconds since the device was started, as `ProcessInfo.systemUptime`: no time of day.
    public let timestamp: TimeInterval

    /// The LiDAR's depth map of a frame.
    /// - Returns: what `body` returned; `nil` if the frame has none.
    public static func read<Result>(of frame: ARFrame, _ body: (LockedDepthMap) throws -> Result) rethrows -> Result? {
        guard let depth = frame.sceneDepth else { return nil }
        return try read(depth.depthMap, at: frame.timestamp, body)
    }

    /// A depth map of another origin, such as `AVDepthData.depthDataMap` after `converting(toDepthDataType:)`.
    /// - Returns: what `body` returned; `nil` if the buffer is not float32 metres or cannot be locked.
    public static func read<Result>(
        _ buffer: CVPixelBuffer, at timestamp: TimeInterval, _ body: (LockedDepthMap) throws -> Result
    ) rethrows -> Result? {
        guard CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_DepthFloat32,
            CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess
        else { return nil }
        defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
        guard let start = CVPixelBufferGetBaseAddress(buffer) else { return nil }
        let bytesPerRow = CVPixelBufferGetBytesPerRow(buffer)
        let height = CVPixelBufferGetHeight(buffer)
        return try body(
            LockedDepthMap(
                bytes: UnsafeRawBufferPointer(start: start, count: bytesPerRow * height), bytesPerRow: bytesPerRow,
                width: CVPixelBufferGetWidth(buffer), height: height, timestamp: timestamp))
    }
}
