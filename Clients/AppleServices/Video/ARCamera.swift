public import ARKit
public import CaptureKit
public import CoreMedia
public import Foundation

/// Records from an AR session: every second picture of 60 per second with the LiDAR's depth of that very frame, and the microphone's sound.
///
/// Set it as the session's delegate and run the session with ``configuration(withSound:)``. The app's Info.plist says why in
/// `NSCameraUsageDescription` and `NSMicrophoneUsageDescription`. One camera makes one recording, of what comes after the recorder has
/// begun to read, from the first picture with depth on.
public final class ARCamera: NSObject, ARSessionDelegate, FrameSource {
    private let inputs = CameraInputs<CameraPicture, CameraSound>()

    public override init() { super.init() }

    /// World tracking with `sceneDepth`, which is not smoothed: smoothed depth lags behind the picture.
    public static func configuration(withSound: Bool) -> ARWorldTrackingConfiguration {
        let configuration = ARWorldTrackingConfiguration()
        configuration.frameSemantics = .sceneDepth
        configuration.providesAudioData = withSound
        return configuration
    }

    /// Ends the recording, as its person wishes: what is waiting is still recorded.
    public func stop() { inputs.end(.success(nil)) }

    public func next() async throws -> CameraInput<CameraPicture, CameraSound>? { try await inputs.next() }

    public func session(_ session: ARSession, didUpdate frame: ARFrame) {
        inputs.give(CameraPicture(frame.capturedImage), at: frame.timestamp) {
            let depth = LockedDepthMap.read(of: frame) { map in
                try? DepthPlane(copying: map.bytes, bytesPerRow: map.bytesPerRow, width: map.width, height: map.height)
            }
            return depth ?? nil
        }
    }

    public func session(_ session: ARSession, didOutputAudioSampleBuffer audioSampleBuffer: CMSampleBuffer) {
        let sound = CameraSound(audioSampleBuffer)
        inputs.give(sound: sound, at: sound.seconds, sampleCount: sound.sampleCount, sampleRate: sound.sampleRate)
    }

    public func sessionWasInterrupted(_ session: ARSession) { inputs.end(.success(.interruption)) }

    public func sessionInterruptionEnded(_ session: ARSession) { inputs.resume() }

    public func session(_ session: ARSession, didFailWithError error: any Error) {
        inputs.end(.failure(AppleVideoError.failed("ARKit: \(error)")))
    }
}
