public import CaptureKit
import Foundation
public import Scene

/// Films a rendered scene, with a tone as its sound. The same arguments give the same pictures, depth and sound.
public actor SceneCamera: FrameSource {
    private static let ticksPerPicture: Int64 = 20
    private static let samplesPerPicture = Int(FFmpegAudioEncoder.sampleRate) / 30

    private let renderer: VideoRenderer
    private let depthRenderer: VideoRenderer
    private let pictures: Int
    private let freezesDepth: Bool
    private var given = 0
    private var owesSound = false

    /// - Parameters:
    ///   - seconds: after which the recording ends.
    ///   - otherDepth: whose depth is recorded in place of the scene's own.
    ///   - freezesDepth: whether all depth maps are the first one.
    public init(_ renderer: VideoRenderer, seconds: Double, otherDepth: VideoRenderer? = nil, freezesDepth: Bool = false) {
        self.renderer = renderer
        depthRenderer = otherDepth ?? renderer
        pictures = Int((max(0, min(seconds, 60)) * 30).rounded())
        self.freezesDepth = freezesDepth
    }

    public func next() throws -> CameraInput<[UInt8], [UInt8]>? {
        if owesSound {
            owesSound = false
            return .sound(sound(given - 1))
        }
        guard given < pictures else { return nil }
        let time = Double(given) / 30
        let depth =
            given.isMultiple(of: VideoTime.picturesPerDepth)
            ? try Self.plane(depthRenderer.depth(at: freezesDepth ? 0 : time), depthRenderer.options.depthSize) : nil
        defer {
            given += 1
            owesSound = true
        }
        return .picture(renderer.frame(at: time), time: Int64(given) * Self.ticksPerPicture, depth: depth)
    }

    private static func plane(_ depth: [Float], _ size: (width: Int, height: Int)) throws -> DepthPlane {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(depth.count * 4)
        for metres in depth { withUnsafeBytes(of: metres.bitPattern.littleEndian) { bytes += $0 } }
        return try DepthPlane(bytes: bytes, width: size.width, height: size.height)
    }

    /// The sound during a picture: a tone that rises and falls, higher or lower by the seed, with a little noise.
    private func sound(_ picture: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.samplesPerPicture * 2)
        let pitch = 440 * exp2(Double(renderer.seed % 12) / 12)
        for index in 0..<Self.samplesPerPicture {
            let number = picture * Self.samplesPerPicture + index
            let seconds = Double(number) / Double(FFmpegAudioEncoder.sampleRate)
            let noise = Int32(truncatingIfNeeded: UInt32(truncatingIfNeeded: number) &* 2_654_435_761) >> 23
            let tone = Int32(6000 * sin(2 * .pi * pitch * seconds + 20 * sin(seconds)))
            withUnsafeBytes(of: Int16(clamping: tone + noise).littleEndian) { bytes += $0 }
        }
        return bytes
    }
}
