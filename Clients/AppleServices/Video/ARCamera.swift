public import ARKit
public import CaptureKit
public import CoreMedia
public import Foundation
import Synchronization

/// Records from an AR session: every second picture of 60 per second with the LiDAR's depth of that very frame, and the microphone's sound.
///
/// Set it as the session's delegate and run the session with ``configuration(withSound:)``. The app's Info.plist says why in
/// `NSCameraUsageDescription` and `NSMicrophoneUsageDescription`. One camera makes one recording.
public final class ARCamera: NSObject, ARSessionDelegate, FrameSource {
    /// Pictures that wait for the encoder. ARKit stops giving frames while more of its buffers are kept.
    private static let maximumPictures = 3
    /// Pieces of sound that wait: some seconds.
    private static let maximumSounds = 300

    private struct State {
        var inputs: [CameraInput<CameraPicture, CameraSound>] = []
        var clock = PictureClock()
        var taken = 0
        var waiting: CheckedContinuation<CameraInput<CameraPicture, CameraSound>?, any Error>?
        var end: Result<CameraInput<CameraPicture, CameraSound>?, any Error>?
    }

    private let state = Mutex(State())

    public override init() { super.init() }

    /// World tracking with `sceneDepth`, which is not smoothed: smoothed depth lags behind the picture.
    public static func configuration(withSound: Bool) -> ARWorldTrackingConfiguration {
        let configuration = ARWorldTrackingConfiguration()
        configuration.frameSemantics = .sceneDepth
        configuration.providesAudioData = withSound
        return configuration
    }

    /// Ends the recording, as its person wishes: what is waiting is still recorded.
    public func stop() { end(.success(nil)) }

    public func next() async throws -> CameraInput<CameraPicture, CameraSound>? {
        try await withCheckedThrowingContinuation { continuation in
            let ready: Result<CameraInput<CameraPicture, CameraSound>?, any Error>? = state.withLock { state in
                if !state.inputs.isEmpty { return .success(state.inputs.removeFirst()) }
                if let end = state.end { return end }
                state.waiting = continuation
                return nil
            }
            if let ready { continuation.resume(with: ready) }
        }
    }

    public func session(_ session: ARSession, didUpdate frame: ARFrame) {
        let (timestamp, picture) = (frame.timestamp, CameraPicture(frame.capturedImage))
        let time: (ticks: Int64, hasDepth: Bool)? = state.withLock { state in
            guard state.inputs.count(where: \.isPicture) < Self.maximumPictures, let ticks = state.clock.ticks(at: timestamp) else {
                return nil
            }
            defer { state.taken += 1 }
            return (ticks, state.taken.isMultiple(of: VideoTime.picturesPerDepth))
        }
        guard let time else { return }
        let depth =
            time.hasDepth
            ? LockedDepthMap.read(of: frame) { map in
                try? DepthPlane(copying: map.bytes, bytesPerRow: map.bytesPerRow, width: map.width, height: map.height)
            } : nil
        give(.picture(picture, time: time.ticks, depth: depth ?? nil))
    }

    public func session(_ session: ARSession, didOutputAudioSampleBuffer audioSampleBuffer: CMSampleBuffer) {
        // Sound without gaps, or none any more: the recording ends before a gap.
        let isFull = state.withLock { state in state.inputs.count { !$0.isPicture } >= Self.maximumSounds }
        if isFull { end(.success(.interruption)) } else { give(.sound(CameraSound(audioSampleBuffer))) }
    }

    public func sessionWasInterrupted(_ session: ARSession) { end(.success(.interruption)) }

    public func session(_ session: ARSession, didFailWithError error: any Error) {
        end(.failure(AppleVideoError.failed("ARKit: \(error)")))
    }

    private func give(_ input: CameraInput<CameraPicture, CameraSound>) {
        let waiting = state.withLock { state in
            guard state.end == nil else { return nil as CheckedContinuation<CameraInput<CameraPicture, CameraSound>?, any Error>? }
            guard let waiting = state.waiting else {
                state.inputs.append(input)
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: input)
    }

    private func end(_ end: Result<CameraInput<CameraPicture, CameraSound>?, any Error>) {
        let waiting = state.withLock { state in
            state.end = state.end ?? end
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: end)
    }
}

extension CameraInput {
    fileprivate var isPicture: Bool {
        switch self {
        case .picture: true
        case .sound, .interruption: false
        }
    }
}
