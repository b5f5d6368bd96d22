import Foundation
import TestSupport

/// The photos of the RGB-D samples.
enum SamplePhotos {
    private static var folder: URL { SharedData.folder.appendingPathComponent("rgbd") }
    static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

    static func all() throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "jpg" }.map { Array(try Data(contentsOf: $0)) }
    }
}
