import Foundation
import TestSupport
import Testing

@testable import ObjectStorage

extension SystemTests {
    @Suite("Photos that the device library sends", .timeLimit(.minutes(6)))
    struct QueuePhotos {
        @Test("have the EXIF data that the phone knew, and no place, which is for their owner alone to see")
        func exif() async throws {
            let phone = try await Phone()
            // The camera's file has a place, which is not for the app to pass on.
            let photo = phone.folder.path + "/scene/photo.jpg"
            _ = try await ExifTool.run([
                "-q", "-overwrite_original", "-GPSLatitude=48.2", "-GPSLatitudeRef=N", "-GPSLongitude=16.4", "-GPSLongitudeRef=E", photo,
            ])
            #expect(try await ExifTool.tags(of: photo)["Composite:GPSLatitude"] as? Double == 48.2)
            let place = "--location=-33.8568,151.2153"
            try await phone.add(
                photo: photo, ["--captured-at", "2025-11-20T23:59:58.007Z", "--orientation", "6", place], timeZone: "Asia/Kolkata")
            try await phone.add(
                photo: photo, ["--captured-at", "2025-11-20T23:59:58.25Z", "--orientation", "3"], timeZone: "America/St_Johns")
            try await phone.run()
            let originals = try await originals(of: phone)
            try #require(originals.count == 2)

            #expect(originals.map { $0["EXIF:Model"] as? String } == ["iPhone 15 Pro", "iPhone 15 Pro"])
            #expect(originals.map { $0["EXIF:Orientation"] as? Int } == [6, 3])
            #expect(originals.map { $0["EXIF:DateTimeOriginal"] as? String } == ["2025:11:21 05:29:58", "2025:11:20 20:29:58"])
            #expect(originals.map { $0["EXIF:OffsetTimeOriginal"] as? String } == ["+05:30", "-03:30"])
            #expect(originals.map { ExifTool.text($0["EXIF:SubSecTimeOriginal"]) } == ["007", "250"])
            #expect(originals.allSatisfy { original in !original.keys.contains { $0.contains("GPS") } })
            let ids = try await phone.captures().compactMap(\.capture_id)
            let places = "SELECT count(location) FROM captures WHERE id IN (\(ids.map { "'\($0)'" }.joined(separator: ", ")))"
            #expect(try await phone.stack.sql(places) == ["1"])
            #expect(originals.allSatisfy { $0["ExifTool:Warning"] == nil })
        }

        @Test("are HIGH if they show rooms and desks, whatever the seed")
        func scenes() async throws {
            let phone = try await Phone()
            for (kind, seed) in [("room", 2), ("room", 3), ("desk", 4)] {
                let scene = try await phone.render(kind, seed: seed)
                try await phone.add(photo: scene.photo, depth: scene.depth)
            }
            try await phone.run()
            try await phone.expectResults()
        }

        @Test("are HIGH if a LiDAR sensor saw what they show", .enabled(if: SharedData.isPresent, "needs ../shared/data/rgbd"))
        func realSamples() async throws {
            let phone = try await Phone()
            for name in ["dev_real_library", "dev_real_kitchen", "dev_real_box"] {
                let file = SharedData.folder.path + "/rgbd/\(name)"
                try await phone.add(photo: file + ".jpg", depth: file + ".f32.gz")
            }
            try await phone.run()
            try await phone.expectResults()
        }

        @Test("are never in a sender's memory as a whole, even of 20 MiB; larger ones are refused at once")
        func largest() async throws {
            let phone = try await Phone()
            defer { try? FileManager.default.removeItem(at: phone.folder) }
            let photo = phone.folder.path + "/large.jpg"
            func write(_ sizeBytes: Int) throws {
                try Data(try largePhoto(try phone.scenePhoto(), sizeBytes: sizeBytes)).write(to: URL(fileURLWithPath: photo))
            }
            try write((20 << 20) - 300_000)
            try await phone.add(photo: photo)
            try write(20 << 20)
            let refusal = await #expect(throws: LocalStack.CommandFailed.self) { try await phone.add(photo: photo) }
            #expect(refusal?.output.contains("too large") == true)
            let peak = try await phone.peakOfRun()
            print("a sender of 20 MiB: \(peak.resident >> 20) MiB resident at most, \(peak.own >> 20) MiB without the program's pages")
            #expect(peak.own < 24 << 20, "\(peak)")
            #expect(peak.resident < 64 << 20 || !Phone.isRelease, "\(peak); a debug build's program is larger")
            let captures = try await phone.captures()
            #expect(captures.map(\.state) == ["uploaded"])
        }

        /// EXIF of the stored originals, in order of capture.
        private func originals(of phone: Phone) async throws -> [[String: Any]] {
            let storage = try phone.stack.storage()
            var originals: [[String: Any]] = []
            for id in try await phone.captures().compactMap(\.capture_id) {
                let file = phone.folder.appendingPathComponent("\(id).jpg")
                try Data(try await storage.getBytes("captures/\(id)/original.jpg", limit: 32 << 20)).write(to: file)
                originals.append(try await ExifTool.tags(of: file.path))
            }
            return originals
        }

        /// The photo with as many more quantization tables as it takes, which are part of a picture (ITU-T T.81 §B.2.4.1).
        private func largePhoto(_ photo: [UInt8], sizeBytes: Int) throws -> [UInt8] {
            let table = [3] + [UInt8](repeating: 1, count: 64)
            var tables: [UInt8] = []
            var missing = sizeBytes - photo.count
            while missing >= 4 + table.count {
                let count = min((missing - 4) / table.count, 1000)
                let length = 2 + count * table.count
                tables += [0xFF, 0xDB, UInt8(length >> 8), UInt8(length & 0xFF)]
                for _ in 0..<count { tables += table }
                missing -= 2 + length
            }
            let first = try #require(photo.firstRange(of: [0xFF, 0xDB])).lowerBound
            return photo[..<first] + tables + photo[first...]
        }
    }
}

extension Phone {
    /// Sends what is there.
    /// - Returns: the most memory that was resident, in bytes: all, and what is not in files, such as the program's own (proc(5)).
    fileprivate func peakOfRun() async throws -> (resident: Int, own: Int) {
        let script = """
            import re, subprocess, sys, time
            sender, resident, own = subprocess.Popen(sys.argv[1:]), 0, 0
            while sender.poll() is None:
                status = open(f"/proc/{sender.pid}/status").read()
                resident = max([resident] + [int(size) for size in re.findall(r"VmHWM:[^0-9]+([0-9]+)", status)])
                own = max([own] + [int(size) for size in re.findall(r"RssAnon:[^0-9]+([0-9]+)", status)])
                time.sleep(0.005)
            print(resident, own)
            sys.exit(sender.returncode)
            """
        let command = [Self.program, "queue", "run", "--until-empty", "--store", folder.path + "/phone"]
        let output = try await LocalStack.run("/usr/bin/env", ["python3", "-c", script] + command, stack.addresses)
        let sizes = output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(sizes.count == 2, "\(output)")
        return (sizes[0] << 10, sizes[1] << 10)
    }
}

/// Phil Harvey's exiftool, which `scripts/setup.sh --tests` installs.
private enum ExifTool {
    static func run(_ arguments: [String]) async throws -> String {
        try await LocalStack.run("/usr/bin/env", ["exiftool"] + arguments, [:])
    }

    /// All tags as "Group:Name", with unconverted numbers.
    static func tags(of path: String) async throws -> [String: Any] {
        let json = try await run(["-j", "-n", "-G", path])
        return try #require((try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])?.first)
    }

    /// A value of digits, which exiftool writes as a number if it can be one.
    static func text(_ value: Any?) -> String? { (value as? String) ?? (value as? Int).map(String.init) }
}
