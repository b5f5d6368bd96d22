import CaptureKit
import CaptureProtocol
import Compression
import Foundation
import JPEGMetadata
import Models
import Testing

@Suite("Frame processor")
struct FrameProcessorTests {
    /// An hour east of UTC in winter, two in summer.
    private let processor = FrameProcessor(limit: .seconds(60), timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)

    private func process(_ frame: CapturedFrame, location: PreciseLocation? = FrameFixture.lisbon) throws(FrameError) -> ProcessedFrame {
        try processor.process(frame, deviceModel: "iPhone 15 Pro", location: location)
    }

    @Test("writes time, model, orientation and size into the photo's EXIF, and leaves the picture as it is")
    func photo() throws {
        let photo = try process(FrameFixture.frame()).photo
        let fields = try #require(EXIFReader.read(jpeg: photo))
        #expect(fields.make == "Apple" && fields.model == "iPhone 15 Pro" && fields.orientation == 6 && !fields.hasGPS)
        #expect(fields.dateTimeOriginal == "2026:09:21 16:13:20" && fields.offsetTimeOriginal == "+02:00")
        #expect(fields.subSecTimeOriginal == "257" && fields.pixelWidth == 16 && fields.pixelHeight == 8)
        #expect(abs(try #require(fields.captureTime).timeIntervalSince(FrameFixture.capturedAt)) < 1e-6)
        #expect(photo.suffix(FrameFixture.picture.count) == FrameFixture.picture[...])
        #expect(String(decoding: photo, as: Unicode.ASCII.self).contains("back triple camera"))
    }

    @Test(
        "states no place if there is none, or none on Earth",
        arguments: [
            nil, PreciseLocation(latitude: .nan, longitude: 0), PreciseLocation(latitude: 91, longitude: 0),
            PreciseLocation(latitude: 0, longitude: -180.5), PreciseLocation(latitude: 1, longitude: 1, accuracy: -1),
        ])
    func noPlace(location: PreciseLocation?) throws {
        let processed = try process(FrameFixture.frame(), location: location)
        #expect(processed.location == nil)
        #expect(try #require(EXIFReader.read(jpeg: processed.photo)).hasGPS == false)
        let metadata = try processed.metadata(photoHash: ContentDigest(of: processed.photo))
        #expect(try CaptureMetadata.parse(metadata).location == nil)
        let text = String(decoding: processed.photo, as: Unicode.ASCII.self)
        for word in ["SECRET", "GPS", "xap", "Photoshop", "Apple iOS"] { #expect(!text.contains(word)) }
    }

    @Test("leaves no place in the photo, neither the camera's own nor the one that it states")
    func noPlaceInPhoto() throws {
        let processed = try process(FrameFixture.frame())
        #expect(processed.location == FrameFixture.lisbon)
        let text = String(decoding: processed.photo, as: Unicode.ASCII.self)
        for word in ["SECRET", "GPS", "xap", "Photoshop", "Apple iOS"] { #expect(!text.contains(word)) }
    }

    @Test("drops an altitude and an accuracy that are not numbers")
    func oddNumbers() throws {
        let odd = PreciseLocation(latitude: 1.5, longitude: -2, altitude: .infinity, accuracy: .nan)
        let processed = try process(FrameFixture.frame(), location: odd)
        #expect(processed.location == PreciseLocation(latitude: 1.5, longitude: -2))
        #expect(throws: Never.self) { try processed.metadata(photoHash: ContentDigest(of: [0])) }
    }

    @Test("states in the metadata what the server reads, in the bytes that other clients write")
    func metadata() throws {
        let processed = try process(FrameFixture.frame())
        let hash = ContentDigest(of: processed.photo)
        let bytes = try processed.metadata(photoHash: hash)
        let metadata = try CaptureMetadata.parse(bytes)
        #expect(abs(metadata.capturedAt.timeIntervalSince(FrameFixture.capturedAt)) < 1e-6)
        #expect(metadata.deviceModel == "iPhone 15 Pro" && metadata.photoHash == hash && metadata.assertion == nil)
        #expect(metadata.depthWidth == 4 && metadata.depthHeight == 3 && metadata.location == FrameFixture.lisbon)
        // But for the nonce, which the server does not read.
        var fields = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let nonce = try #require((fields.removeValue(forKey: "nonce") as? String).flatMap { Data(base64Encoded: $0) })
        #expect(nonce.count == 16 && Array(nonce) == processed.nonce && metadata.nonce == nil)
        let known = try JSONSerialization.jsonObject(with: Data(try WireJSON.encode(metadata)))
        #expect(fields as NSDictionary == known as? NSDictionary)
    }

    @Test("adds to the metadata what nobody can guess, the same whenever they are written, another for each photo")
    func nonces() throws {
        let (one, other) = (try process(FrameFixture.frame()), try process(FrameFixture.frame()))
        #expect(one.photo == other.photo && one.nonce != other.nonce)
        let hash = ContentDigest(of: one.photo)
        #expect(try one.metadata(photoHash: hash) == one.metadata(photoHash: hash))
        #expect(try one.metadata(photoHash: hash) != other.metadata(photoHash: hash))
    }

    @Test("compresses the depth map as gzip, not a number among its values")
    func depth() throws {
        let values: [Float32] = [0, .nan, .infinity, -.infinity, Float32(bitPattern: 0x7fa0_1234), .leastNonzeroMagnitude]
        let plane = try DepthPlane(bytes: FrameFixture.bytes(values), width: 3, height: 2)
        let processed = try process(FrameFixture.frame(depth: plane, thumbnail: [1, 2, 3]))
        #expect(processed.depth == (try Deflate.compress(FrameFixture.bytes(values), wrapping: .gzip)))
        #expect(processed.depthWidth == 3 && processed.depthHeight == 2 && processed.thumbnail == [1, 2, 3])
    }

    @Test("refuses a frame without depth")
    func noDepth() {
        #expect(throws: FrameError.noDepthData) { try process(FrameFixture.frame(depth: nil)) }
    }

    @Test("refuses a photo that leaves no room in the body for metadata and assertion")
    func tooLarge() throws {
        let small = try process(FrameFixture.frame(jpeg: FrameFixture.photo(scanBytes: 0)))
        let most = SizeLimits.capture - 2 * SizeLimits.metadata
        let room = most - small.photo.count - small.depth.count
        let full = try process(FrameFixture.frame(jpeg: FrameFixture.photo(scanBytes: room)))
        #expect(full.photo.count + full.depth.count == most)
        let larger = FrameFixture.frame(jpeg: FrameFixture.photo(scanBytes: room + 1))
        #expect(throws: FrameError.tooLarge) { try process(larger) }
    }

    @Test("takes a photo of any size in privacy mode, in which it is not sent")
    func tooLargeToSend() throws {
        let photo = FrameFixture.photo(scanBytes: SizeLimits.capture)
        let frame = CapturedFrame(jpeg: photo, depth: PrivateFixture.plane, capturedAt: FrameFixture.capturedAt, orientation: .right)
        func processed(isOn: Bool) throws -> ProcessedCapture {
            let privacy = PrivacySettings(isOn: isOn, flags: .everything)
            return try processor.process(frame, on: PrivateFixture.Phone(), location: nil, privacy: privacy)
        }
        #expect(throws: FrameError.tooLarge) { try processed(isOn: false) }
        guard case .hashOnly(let kept) = try processed(isOn: true) else {
            Issue.record("it is sent")
            return
        }
        #expect(kept.photo.count > SizeLimits.capture)
    }

    @Test("stops when its time is over")
    func timeout() {
        let impatient = FrameProcessor(limit: .zero)
        #expect(throws: FrameError.processingTimeout) {
            try impatient.process(FrameFixture.frame(), deviceModel: "iPhone 15 Pro", location: nil)
        }
    }

    @Test("refuses every truncation of a photo")
    func truncated() throws {
        let end = FrameFixture.revealingPhoto.count - "SECRET trailer".utf8.count
        for count in 0..<end {
            #expect(try photo(Array(FrameFixture.revealingPhoto[..<count])) == nil, "\(count) bytes")
        }
        #expect(try photo(Array(FrameFixture.revealingPhoto[..<end])) != nil)
    }

    @Test("gives a sound photo or an error for damaged bytes")
    func damaged() throws {
        var state = UInt64(11)
        var refused = 0
        for _ in 0..<2000 {
            var jpeg = FrameFixture.revealingPhoto
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                jpeg[Int(state >> 33) % jpeg.count] = UInt8(truncatingIfNeeded: state >> 25)
            }
            guard let photo = try photo(jpeg) else {
                refused += 1
                continue
            }
            let fields = try #require(EXIFReader.read(jpeg: photo))
            #expect(!fields.hasGPS && fields.model == "iPhone 15 Pro" && fields.pixelWidth != nil)
        }
        #expect(refused > 100 && refused < 1900)
    }

    /// Processed without a place; `nil` if it is refused as no JPEG. Other errors are thrown.
    private func photo(_ jpeg: [UInt8]) throws -> [UInt8]? {
        do {
            return try process(FrameFixture.frame(jpeg: jpeg), location: nil).photo
        } catch FrameError.jpegConversionFailed {
            return nil
        }
    }
}
