import Synchronization

/// What a camera and a microphone give, until the recorder takes it.
///
/// Nothing is taken before the first ``next()``, so that the camera may run long before, and nothing before the first picture that has
/// depth. For one recording: one reader, and one queue on which pictures are given.
public final class CameraInputs<Picture: Sendable, Sound: Sendable>: FrameSource {
    /// Pictures that wait for the encoder. ARKit stops giving frames while more of its buffers are kept.
    private static var maximumPictures: Int { 3 }
    /// Pieces of sound that wait: some seconds.
    private static var maximumSounds: Int { 300 }

    private struct State {
        var isRead = false
        var inputs: [CameraInput<Picture, Sound>] = []
        var clock = PictureClock()
        var soundClock = SoundClock()
        var taken = 0
        var waiting: CheckedContinuation<CameraInput<Picture, Sound>?, any Error>?
        var end: Result<CameraInput<Picture, Sound>?, any Error>?
        /// Whether the camera is interrupted before anybody reads, which may be over by then.
        var isPaused: Bool {
            guard !isRead, case .success(.interruption?)? = end else { return false }
            return true
        }
    }

    private let state = Mutex(State())

    public init() {}

    /// Cancelling the task ends the recording as its person does, also while nothing comes since the camera's session is paused: what waits
    /// is still recorded.
    public func next() async throws -> CameraInput<Picture, Sound>? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready: Result<CameraInput<Picture, Sound>?, any Error>? = state.withLock { state in
                    state.isRead = true
                    if !state.inputs.isEmpty { return .success(state.inputs.removeFirst()) }
                    if let end = state.end { return end }
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            end(.success(nil))
        }
    }

    /// Takes a picture, unless it is one too many (``PictureClock``) or too many wait.
    /// - Parameters:
    ///   - seconds: of the picture, on the camera's clock.
    ///   - depth: gives the depth of this very picture. Called only if it is recorded.
    public func give(_ picture: Picture, at seconds: Double, depth: () -> DepthPlane?) {
        let place: (clock: PictureClock, time: Int64, number: Int)? = state.withLock { state in
            var clock = state.clock
            guard state.isRead, state.end == nil, state.inputs.count(where: \.isPicture) < Self.maximumPictures,
                let time = clock.ticks(at: seconds)
            else { return nil }
            return (clock, time, state.taken)
        }
        guard let place else { return }
        // Without the lock: a depth map is copied.
        let plane = place.number.isMultiple(of: VideoTime.picturesPerDepth) ? depth() : nil
        // The first depth map says how large all are.
        guard place.number > 0 || plane != nil else { return }
        state.withLock { state in
            state.clock = place.clock
            state.taken += 1
        }
        pass(.picture(picture, time: place.time, depth: plane))
    }

    /// Takes the next piece of sound. What comes before the first picture is none of the recording. A piece that does not begin where the
    /// one before it ends, or that has another rate, ends the recording.
    /// - Parameters:
    ///   - seconds: of the piece's beginning, on the microphone's clock.
    ///   - sampleCount: for each channel.
    ///   - sampleRate: hertz.
    public func give(sound: Sound, at seconds: Double, sampleCount: Int, sampleRate: Double) {
        let isTaken: Bool? = state.withLock { state in
            guard state.taken > 0 else { return nil }
            let follows = state.soundClock.follows(at: seconds, sampleCount: sampleCount, sampleRate: sampleRate)
            return follows && state.inputs.count { !$0.isPicture } < Self.maximumSounds
        }
        guard let isTaken else { return }
        // Sound without gaps, or none any more: the recording ends before a gap.
        if isTaken { pass(.sound(sound)) } else { end(.success(.interruption)) }
    }

    /// Ends the recording: what waits is still recorded.
    /// - Parameter end: `nil` if its person wishes it; `interruption`; or why the camera failed. The first one counts, but for an
    ///   interruption before anybody reads (``resume()``).
    public func end(_ end: Result<CameraInput<Picture, Sound>?, any Error>) {
        let waiting = state.withLock { state in
            if state.end == nil || state.isPaused { state.end = end }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: end)
    }

    /// Takes inputs again after an interruption that ended before anybody read. Any other end stays.
    public func resume() {
        state.withLock { state in
            if state.isPaused { state.end = nil }
        }
    }

    private func pass(_ input: CameraInput<Picture, Sound>) {
        let waiting = state.withLock { state in
            guard state.end == nil else { return nil as CheckedContinuation<CameraInput<Picture, Sound>?, any Error>? }
            guard let waiting = state.waiting else {
                state.inputs.append(input)
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: input)
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
