import ArgumentParser
import Foundation

/// A photo with its depth map, and where it was taken.
struct PhotoFileOptions: ParsableArguments {
    @Option(help: "JPEG file.")
    var photo: String
    @Option(help: "Depth map file: little-endian float32 (.f32), or compressed.")
    var depth: String
    @Option(help: "The depth map's width.")
    var width: Int
    @Option(help: "The depth map's height.")
    var height: Int
    @Option(help: "Where it was taken: LATITUDE,LONGITUDE in degrees; write --location=-33.9,18.4 for the south.")
    var location: LocationArgument?

    func depthFile() throws -> DepthFile { try DepthFile(url: URL(fileURLWithPath: depth), width: width, height: height) }
}
