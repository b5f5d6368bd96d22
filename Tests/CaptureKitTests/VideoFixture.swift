import CaptureProtocol
import Foundation
import Movie

@testable import CaptureKit

/// A camera with noise in place of pictures, 30 per second, and a small depth map for every third.
actor NoiseCamera: FrameSource {
    struct Broken: Error {}

    private let pictures: Int
    private let bytes: Int
    private let isBroken: Bool
    private var given = 0

    /// - Parameters:
    ///   - bytes: of each picture.
    ///   - isBroken: whether it fails at the end, as if the process ended there.
    init(pictures: Int, bytes: Int = 200, isBroken: Bool = false) {
        self.pictures = pictures
        self.bytes = bytes
        self.isBroken = isBroken
    }

    func next() throws -> CameraInput<[UInt8], [UInt8]>? {
        guard given < pictures else {
            if isBroken { throw Broken() }
            return nil
        }
        defer { given += 1 }
        let depth = try DepthPlane(bytes: [UInt8](repeating: UInt8(given & 0x3F), count: 64), width: 4, height: 4)
        return .picture(
            .noise(bytes, seed: UInt64(given + 1)), time: Int64(given) * 20, depth: given.isMultiple(of: 3) ? depth : nil)
    }
}

/// Gives pictures as they are.
struct PlainEncoder: VideoEncoder {
    /// Times of pictures that it leaves out.
    var leavesOut: Set<Int64> = []
    let format: VideoFormat? = VideoFormat(
        codec: .h264, width: 16, height: 16, rotation: .none, timescale: VideoTime.timescale, configuration: [1, 2, 3], colour: nil)

    func encode(_ picture: [UInt8], at time: Int64) -> [EncodedSample] {
        leavesOut.contains(time)
            ? []
            : [EncodedSample(bytes: picture, decodeTime: time, presentationTime: time, duration: 20, isSync: time == 0)]
    }

    func finish() -> [EncodedSample] { [] }
}

/// No sound.
struct Silence: AudioEncoder {
    let format: SoundFormat? = nil
    let priming: Int64 = 0

    func encode(_ sound: [UInt8]) -> [EncodedSample] { [] }
    func finish() -> [EncodedSample] { [] }
}

extension CaptureQueue {
    @discardableResult
    func record(
        _ camera: NoiseCamera, _ encoder: PlainEncoder = PlainEncoder(), isQuickTime: Bool = false, privacy: PrivacySettings = .standard
    ) async throws -> StoredCapture {
        let recording = VideoRecording(
            id: UUID(), startedAt: Date(timeIntervalSince1970: 1_800_000_000), deviceModel: "iPhone 15 Pro", osVersion: nil,
            location: nil)
        return try await record(
            recording, isQuickTime: isQuickTime, privacy: privacy, from: camera, video: encoder, sound: Silence?.none)
    }

    /// Records until the process is gone, as far as the store can tell.
    func recordCutOff(pictures: Int) async throws {
        do {
            try await record(NoiseCamera(pictures: pictures, isBroken: true))
        } catch is NoiseCamera.Broken {}
    }

    func chain(of id: LocalID) throws -> HashChain {
        guard case .chain(let chain) = try SubmittedHashChain.parse(store.bytes(.hashChain, of: id)) else {
            throw CocoaError(.coderInvalidValue)
        }
        return chain
    }
}
