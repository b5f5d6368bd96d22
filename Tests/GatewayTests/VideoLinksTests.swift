import Delivery
import Models
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("What the view of a capture has of a video")
struct VideoLinksTests {
    /// Of a video of 1920 × 1080.
    private func links(_ rotation: Int, keyframes: Int, _ size: PixelSize?) -> VideoLinks {
        let video = Samples.Video().changed { ($0.rotation, $0.keyframes) = (rotation, keyframes) }
        return VideoLinks(video.record.evidence, depthFramesSize: size) { "/media/\($0.rawValue)" }
    }

    @Test(
        "the tiles are those of the picture of all keyframes: square depth maps have wide ones, also where the video is upright",
        arguments: [(0, 125, 1280, 1248, 128), (90, 125, 960, 1664, 96), (90, 125, 1280, 1248, 128), (0, 7, 896, 96, 128)])
    func tiles(rotation: Int, keyframes: Int, width: Int, height: Int, tileWidth: Int) throws {
        let frames = try #require(links(rotation, keyframes: keyframes, PixelSize(width, height)).depthFrames)
        #expect(frames.tileWidth == tileWidth && frames.tileHeight == 128 + 96 - tileWidth)
        #expect(frames.columns == 10 && frames.times.count == keyframes)
    }

    @Test("a picture that does not have a tile for each keyframe has none", arguments: [nil, PixelSize(1281, 1248), PixelSize(1280, 1250)])
    func unfit(size: PixelSize?) {
        let links = links(0, keyframes: 125, size)
        #expect(links.depthFrames == nil && links.depthFramesURL == "/media/depth-frames.jpg")
    }

    @Test("the size of the picture is read with the capture", .enabled(if: SiteDatabase.isConfigured, SiteDatabase.hint))
    func stored() async throws {
        try await SiteDatabase.with { database in
            let capture = try await database.insertCapture(
                of: try await database.insertDevice(), short: ShortID.random(), Samples.Evidence().package)
            let captures = PostgresCaptureRepository(database: database.pool, outbox: Outbox(.gateway))
            let before = try #require(try await captures.find(capture))
            #expect(before.depthFramesSize == nil)
            try await database.insertMedia(capture, MediaName.depthFrames.rawValue)
            let after = try #require(try await captures.find(capture))
            #expect(after.depthFramesSize == PixelSize(768, 576))
        }
    }
}
