import CaptureProtocol
import Foundation
import Movie

@testable import CaptureKit

/// A camera with noise in place of pictures, 30 per second, and a small depth map for every third.
actor NoiseCamera: FrameSource {
    struct Broken: Error {}

    private let pictures: Int
    private let bytes: Int
    private let depthSide: Int
    private let isBroken: Bool
    private let isInterrupted: Bool
    private var given = 0

    /// - Parameters:
    ///   - bytes: of each picture.
    ///   - depthSide: width and height of depth maps.
    ///   - isBroken: whether it fails at the end, as if the process ended there.
    ///   - isInterrupted: whether something else takes it at the end.
    init(pictures: Int, bytes: Int = 200, depthSide: Int = 4, isBroken: Bool = false, isInterrupted: Bool = false) {
        self.pictures = pictures
        self.bytes = bytes
        self.depthSide = depthSide
        self.isBroken = isBroken
        self.isInterrupted = isInterrupted
    }

    func next() throws -> CameraInput<[UInt8], [UInt8]>? {
        guard given < pictures else {
            if isBroken { throw Broken() }
            return isInterrupted ? .interruption : nil
        }
        defer { given += 1 }
        let values = [UInt8](repeating: UInt8(given & 0x3F), count: depthSide * depthSide * 4)
        let depth = try DepthPlane(bytes: values, width: depthSide, height: depthSide)
        return .picture(
            .noise(bytes, seed: UInt64(given + 1)), time: Int64(given) * 20, depth: given.isMultiple(of: 3) ? depth : nil)
    }
}

/// Gives pictures as they are.
struct PlainEncoder: VideoEncoder {
    struct Failed: Error {}

    /// Times of pictures that it leaves out.
    var leavesOut: Set<Int64> = []
    /// The time from which on it fails, and then at the end too.
    var failsFrom: Int64?
    let format: VideoFormat? = VideoFormat(
        codec: .h264, width: 16, height: 16, rotation: .none, timescale: VideoTime.timescale,
        configuration: [1, 0x42, 0xc0, 0x1e, 0xff, 0xe1, 0])

    func encode(_ picture: [UInt8], at time: Int64) throws -> [EncodedSample] {
        if let failsFrom, time >= failsFrom { throw Failed() }
        guard !leavesOut.contains(time) else { return [] }
        let isFirst = stride(from: 0, to: time, by: 20).allSatisfy(leavesOut.contains)
        return [
            EncodedSample(bytes: picture, decodeTime: time, presentationTime: time, duration: 20, isSync: isFirst, pictureTime: time)
        ]
    }

    /// Of pictures that are large enough.
    func luma(of picture: [UInt8]) -> LumaPlane? { LumaPlane(pixels: Array(picture.prefix(256)), width: 16, height: 16) }

    func finish() throws -> [EncodedSample] {
        guard failsFrom == nil else { throw Failed() }
        return []
    }
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
        _ camera: some FrameSource<[UInt8], [UInt8]>, _ encoder: PlainEncoder = PlainEncoder(), isQuickTime: Bool = false,
        privacy: PrivacySettings = .standard, model: String = "iPhone 15 Pro"
    ) async throws -> StoredCapture {
        let recording = VideoRecording(
            id: UUID(), startedAt: Date(timeIntervalSince1970: 1_800_000_000), deviceModel: model, osVersion: "18.6.2",
            location: FrameFixture.lisbon)
        return try await record(
            recording, isQuickTime: isQuickTime, privacy: privacy, appVersion: "7.3.1", from: camera, video: encoder,
            sound: Silence?.none)
    }

    /// Records until the process is gone, as far as the store can tell.
    func recordCutOff(pictures: Int, bytes: Int = 200, privacy: PrivacySettings = .standard) async throws {
        do {
            try await record(NoiseCamera(pictures: pictures, bytes: bytes, isBroken: true), privacy: privacy)
        } catch is NoiseCamera.Broken {}
    }

    func chain(of id: LocalID, _ kind: SealedKind = .hashChain) throws -> HashChain {
        guard case .chain(let chain) = try SubmittedHashChain.parse(store.bytes(kind, of: id)) else {
            throw CocoaError(.coderInvalidValue)
        }
        return chain
    }
}
