import Foundation
import Imaging
import Scene
import Testing

extension SystemTests {
    @Suite("Private data in published photos", .enabled(if: PrivatePhoto.exiftool != nil, "exiftool is not installed"))
    struct CredentialPrivacy {
        @Test("is the place, the camera's and lens's serial numbers, the owner and maker notes", .timeLimit(.minutes(4)))
        func published() async throws {
            let photo = try await PrivatePhoto.make()
            let before = try await PrivatePhoto.tags(of: photo)
            // The original contains every form of the private data, so the test can fail.
            for form in PrivatePhoto.forms { #expect(before.contains { $0.contains(form) }, "\(form): \(before)") }
            let found = before.filter(PrivatePhoto.isPrivate)
            #expect(found.count > PrivatePhoto.forms.count)

            let capture = try await SignedCapture.make(CaptureParts(photo: photo))
            let (client, stack) = (try TestClient.current(), try LocalStack.required())
            var device = try await client.device()
            let unsigned = try await client.submit(&device, CaptureParts(photo: photo).form(assertion: nil))
            let id = try #require(unsigned.data["capture_id"] as? String, "\(unsigned.text)")
            _ = try await client.settled(id)
            let copy = try await client.send("GET", stack.link(id, "public.jpg", expires: Date() + 600)).body
            for (name, bytes) in [
                ("c2pa.jpg", try await capture.media("c2pa.jpg")), ("public.jpg", copy),
                ("thumbnail.jpg", try await capture.media("thumbnail.jpg")),
            ] {
                let tags = try await PrivatePhoto.tags(of: bytes)
                #expect(tags.filter(PrivatePhoto.isPrivate).isEmpty, "\(name)")
                for secret in PrivatePhoto.secrets { #expect(!bytes.contains(secret), "\(secret) in \(name)") }
                guard name != "thumbnail.jpg" else { continue }
                // The camera's basic tags are kept.
                #expect(tags.contains { $0.hasSuffix("Model") } && tags.contains { $0.hasSuffix("DateTimeOriginal") }, "\(name)")
                #expect(bytes.scan.elementsEqual(photo.scan), "\(name)")
            }
            // The manifest contains nothing about location and device.
            let manifest = try await capture.media("manifest.c2pa")
            for secret in PrivatePhoto.secrets { #expect(!manifest.contains(secret), "\(secret) in the manifest") }
        }
    }
}

/// A photo that reveals its location and author in EXIF, XMP, IPTC and its embedded preview.
private enum PrivatePhoto {
    static let exiftool = ["/usr/bin/exiftool", "/usr/local/bin/exiftool"].first { FileManager.default.isExecutableFile(atPath: $0) }
    /// Values that no published file may contain.
    static let secrets = ["F2LXK1234567", "LENS7654321", "Jane Appleseed", "5F1D6C2E8A7B4C3D9E0F1A2B3C4D5E6F", "Rue Secrete", "45,45.8"]
    /// The exiftool tags in which the private data are stored.
    static let forms = ["GPS:GPSLatitude", "XMP-exif:GPSLatitude", "IPTC:", "ExifIFD:SerialNumber", "ExifIFD:OwnerName", "Apple:"]

    static func isPrivate(_ tag: String) -> Bool {
        let marks = [
            "GPS", "SerialNumber", "OwnerName", "ImageUniqueID", "MakerNote", "Apple:", "IPTC:", "City", "Location", "ThumbnailImage",
        ]
        return marks.contains { tag.contains($0) } && !tag.hasPrefix("JUMBF") && !tag.hasPrefix("CBOR")
    }

    static func make() async throws -> [UInt8] {
        var options = SceneOptions(capturedAt: Date())
        options.photoSize = (640, 480)
        options.detail = 256
        options.includesPrivateTags = true
        options.location = SceneLocation(latitude: 45.764043, longitude: 4.835659, altitude: 170)
        let scene = try SceneRenderer.render(.room, seed: 2, options: options)
        let (photo, preview) = (try CredentialFile(scene.jpeg), try CredentialFile(try small(scene.jpeg)))
        _ = try await LocalStack.run(
            try #require(exiftool),
            [
                "-q", "-m", "-overwrite_original", "-XMP-exif:GPSLatitude=45,45.8426N", "-XMP-exif:GPSLongitude=4,50.1395E",
                "-XMP-iptcCore:Location=Rue Secrete", "-IPTC:City=Rue Secrete", "-ThumbnailImage<=\(preview.path)", photo.path,
            ], [:])
        return try photo.bytes()
    }

    /// A preview with its own location.
    private static func small(_ photo: [UInt8]) throws -> [UInt8] {
        let jpeg = try JPEGEncoder.encode(JPEGDecoder.decodeRGB(photo, fitting: 160), quality: 80)
        let exif = photo[2..<photo.count].prefix(4 + Int(photo[4]) << 8 + Int(photo[5]) - 2)
        return Array(jpeg.prefix(2) + exif + jpeg.dropFirst(2))
    }

    /// The "Group:Tag" names of all tags that exiftool finds.
    static func tags(of bytes: [UInt8]) async throws -> [String] {
        let file = try CredentialFile(bytes)
        let text = try await LocalStack.run(try #require(exiftool), ["-j", "-G1", "-a", "-u", "-ee", "-m", file.path], [:])
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        return try #require(json?.first).keys.filter { !$0.hasPrefix("System:") && !$0.hasPrefix("ExifTool:") && $0 != "SourceFile" }
    }
}

extension CaptureParts {
    /// The room with this photo in place of its own.
    fileprivate init(photo: [UInt8]) throws {
        try self.init()
        try replacePhoto(photo)
    }
}
