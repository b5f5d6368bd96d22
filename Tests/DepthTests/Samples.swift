import Depth
import Foundation
import Imaging
import Testing

/// The captures of `../shared/data/rgbd` beside the project.
struct Sample: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let width: Int
    let height: Int
    let label: String

    var testDescription: String { name }

    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("shared/data/rgbd")

    static let arePresent = FileManager.default.fileExists(atPath: directory.path)

    /// Empty if the data are absent, or cannot be read, which a test of its own finds.
    static let all: [Sample] = (try? index()) ?? []

    static func index() throws -> [Sample] {
        try JSONDecoder().decode([Sample].self, from: Data(contentsOf: directory.appendingPathComponent("index.json")))
    }

    func depth() throws -> DepthMap {
        let file = try Data(contentsOf: Self.directory.appendingPathComponent("\(name).f32.gz"))
        return try DepthMapDecoder.decode(Array(file), width: width, height: height)
    }

    func luma() throws -> LumaImage {
        let file = try Data(contentsOf: Self.directory.appendingPathComponent("\(name).jpg"))
        let gray = try PhotoVariants(Array(file)).luma(covering: (width, height))
        return try LumaImage(width: gray.width, height: gray.height, pixels: gray.pixels)
    }
}
