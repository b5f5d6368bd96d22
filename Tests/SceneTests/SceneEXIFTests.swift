import Foundation
import Scene
import Testing

/// Reads EXIF with exiftool, which is independent of our writer.
@Suite("EXIF of rendered scenes", .enabled(if: ExifTool.isInstalled, "needs exiftool"))
struct SceneEXIFTests {
    private func tags(_ change: (inout SceneOptions) -> Void) throws -> [String: String] {
        var options = SceneOptions(capturedAt: Date(timeIntervalSince1970: 1_790_000_000.257))
        options.photoSize = (64, 48)
        options.depthSize = (8, 6)
        change(&options)
        return try ExifTool.read(try SceneRenderer.render(.poster, seed: 1, options: options).jpeg)
    }

    @Test("has make, model, orientation and size")
    func camera() throws {
        let tags = try tags { $0.orientation = 6 }
        #expect(tags["Make"] == "Apple" && tags["Model"] == "iPhone 15 Pro")
        #expect(tags["Orientation"] == "6")
        #expect(tags["ExifImageWidth"] == "64" && tags["ExifImageHeight"] == "48")
        #expect(tags["Warning"] == nil)
    }

    @Test(
        "has the capture time on the camera's clock",
        arguments: [
            (0, "2026:09:21 14:13:20", "+00:00"), (7200, "2026:09:21 16:13:20", "+02:00"),
            (-34_200, "2026:09:21 04:43:20", "-09:30"),
        ])
    func time(seconds: Int, text: String, offset: String) throws {
        let tags = try tags { $0.secondsFromUTC = seconds }
        #expect(tags["DateTimeOriginal"] == text)
        #expect(tags["OffsetTimeOriginal"] == offset)
        #expect(tags["SubSecTimeOriginal"] == "257")
    }

    @Test("has no place and nothing private unless asked")
    func nothingPrivate() throws {
        let tags = try tags { _ in }
        let forbidden = ["GPSLatitude", "MakerNoteVersion", "SerialNumber", "LensSerialNumber", "OwnerName", "ImageUniqueID"]
        #expect(forbidden.allSatisfy { tags[$0] == nil })
    }

    @Test("has place, maker note and serial numbers when asked")
    func everythingPrivate() throws {
        let tags = try tags {
            $0.location = SceneLocation(latitude: -33.8568, longitude: 151.2153, altitude: 4.5)
            $0.includesPrivateTags = true
        }
        let latitude = try #require(Double(tags["GPSLatitude"] ?? ""))
        let longitude = try #require(Double(tags["GPSLongitude"] ?? ""))
        #expect(abs(abs(latitude) - 33.8568) < 1e-5 && abs(longitude - 151.2153) < 1e-5)
        #expect(tags["GPSLatitudeRef"] == "S" && tags["GPSLongitudeRef"] == "E" && tags["GPSAltitude"] == "4.5")
        #expect(tags["MakerNoteVersion"] == "14")
        #expect(tags["SerialNumber"] != nil && tags["LensSerialNumber"] != nil && tags["OwnerName"] != nil)
        #expect(tags["Warning"] == nil)
    }
}

/// Phil Harvey's exiftool, if it is installed.
enum ExifTool {
    static let path = ["/usr/bin/exiftool", "/usr/local/bin/exiftool", "/opt/homebrew/bin/exiftool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isInstalled: Bool { path != nil }

    /// Tags by name, with unconverted numbers.
    static func read(_ jpeg: [UInt8]) throws -> [String: String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jpg")
        try Data(jpeg).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = ["-n", "-s", "-a", "-EXIF:all", "-MakerNotes:all", "-Warning", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        var tags: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            tags[line[..<colon].trimmingCharacters(in: .whitespaces)] = value
        }
        return tags
    }
}
