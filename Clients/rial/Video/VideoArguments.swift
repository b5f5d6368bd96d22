public import ArgumentParser
import Movie
import Scene

extension VideoScene: ExpressibleByArgument {}

/// The codecs of recordings.
enum CodecChoice: String, CaseIterable, ExpressibleByArgument {
    case h264, hevc

    var codec: VideoCodec { self == .h264 ? .h264 : .hevc }
}

/// How the picture is turned for showing, in degrees clockwise.
struct RotationArgument: ExpressibleByArgument {
    let rotation: VideoRotation

    init?(argument: String) {
        guard let rotation = UInt16(argument).flatMap(VideoRotation.init(rawValue:)) else { return nil }
        self.rotation = rotation
    }
}
