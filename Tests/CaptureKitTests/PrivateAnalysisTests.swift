import CaptureProtocol
import Compression
import Depth
import Foundation
import Models
import Testing

@testable import CaptureKit

@Suite("Depth that is measured on the device")
struct PrivateAnalysisTests {
    @Test("has the server's numbers bit for bit, also after they were sent, for a thousand maps")
    func sameNumbers() throws {
        var generator = Noise(state: 11)
        for round in 0..<1000 {
            let (width, height) = (Int.random(in: 4...40, using: &generator), Int.random(in: 4...30, using: &generator))
            let metres = Self.map(width, height, round, &generator)
            let plane = try DepthPlane(bytes: FrameFixture.bytes(metres), width: width, height: height)
            let photo = (width: Int.random(in: 4...80, using: &generator), height: Int.random(in: 4...80, using: &generator))
            let pixels = [UInt8].noise(photo.width * photo.height, seed: UInt64(round))
            let orientation = try #require(PhotoOrientation(rawValue: round % 8 + 1))
            let luma = LumaPlane(pixels: pixels, width: photo.width, height: photo.height)
            let here = try plane.measurements(luma: luma, orientation: orientation)

            let sent = try DepthMapDecoder.decode(
                try Deflate.compress(plane.bytes, wrapping: .gzip), width: width, height: height)
            let there = DepthAnalysis.analyze(
                depth: sent, luma: try LumaImage(width: photo.width, height: photo.height, pixels: pixels),
                exifOrientation: orientation.rawValue)
            #expect(here == there.signed, "map \(round)")
            #expect(here.verdict == there.verdict && here.isMetAsSpecified == there.specifiedRule, "map \(round)")
            let payload = HashOnlyPayload(
                mediaHash: ContentDigest(of: []), facts: .init(capturedAt: Date(), location: nil, deviceModel: "x"),
                sharing: MetadataFlags(location: .none, timestamp: .none, device: .none), depth: here)
            #expect(try HashOnlyPayload.parse(try payload.bytes()).depth == here, "map \(round)")
        }
    }

    @Test("takes the brightness out of padded rows, and refuses memory that is too small")
    func luma() throws {
        let memory: [UInt8] = [1, 2, 3, 99, 4, 5, 6]
        memory.withUnsafeBytes { bytes in
            let plane = LumaPlane(copying: bytes, bytesPerRow: 4, width: 3, height: 2)
            #expect(plane == LumaPlane(pixels: [1, 2, 3, 4, 5, 6], width: 3, height: 2))
            for (bytesPerRow, width, height) in [(4, 3, 3), (2, 3, 2), (4, 0, 2), (4, 3, 0), (4, -1, 2), (4, 4, 2), (Int.max, 3, 2)] {
                #expect(LumaPlane(copying: bytes, bytesPerRow: bytesPerRow, width: width, height: height) == nil)
            }
        }
        #expect(LumaPlane(pixels: memory, width: 3, height: 2) == nil)
        #expect(LumaPlane(pixels: [], width: 0, height: 0) == nil)
    }

    @Test("is measured only in privacy mode, and needs a depth map there too")
    func modes() throws {
        let processor = FrameProcessor(limit: .seconds(60))
        let (phone, flags) = (PrivateFixture.Phone(), PrivacySettings.standard.flags)
        let full = try processor.process(
            FrameFixture.frame(), on: phone, location: nil, privacy: PrivacySettings(isOn: false, flags: flags))
        let direct = try processor.process(FrameFixture.frame(), deviceModel: "iPhone 15 Pro", location: nil)
        guard case .full(let frame) = full else {
            Issue.record("\(full)")
            return
        }
        // All but the nonce, which no two have in common.
        #expect(frame.photo == direct.photo && frame.depth == direct.depth && frame.capturedAt == direct.capturedAt)
        #expect(frame.deviceModel == direct.deviceModel && frame.location == nil && frame.nonce != direct.nonce)
        #expect(throws: FrameError.noDepthData) {
            try processor.process(
                FrameFixture.frame(depth: nil), on: phone, location: nil, privacy: PrivacySettings(isOn: true, flags: flags))
        }
    }

    /// Steps, slopes, noise, holes and values that no sensor gives.
    private static func map(_ width: Int, _ height: Int, _ round: Int, _ generator: inout Noise) -> [Float32] {
        let step = Float32.random(in: 0...3, using: &generator)
        return (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            switch (round % 5, UInt8.random(in: 0...9, using: &generator)) {
            case (0, 0): return .nan
            case (1, 0...6): return 0
            case (2, 0): return .infinity
            case (3, _): return Float32.random(in: -1...25, using: &generator)
            default: return 1 + Float32(x) / 50 + Float32(y) / 70 + (x > width / 2 ? step : 0)
            }
        }
    }

    private struct Noise: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 33)) &* 0xff51_afd7_ed55_8ccd
        }
    }
}
