import CaptureProtocol
public import Foundation
import Models

/// What a video's file says of itself, as counted by the server.
public struct MovieFacts: Sendable, Equatable {
    /// From the first picture shown to the end of the last one.
    public var durationMilliseconds: Int64
    public var frameCount: Int
    /// `h264` or `hevc`.
    public var codec: String
    /// Pixels as stored, before rotation.
    public var width: Int
    public var height: Int
    /// Degrees clockwise: 0, 90, 180 or 270.
    public var rotation: Int
    public var hasAudio: Bool
    /// `com.apple.quicktime.creationdate`, as written.
    public var creationDate: String?
    /// Creation time of `mvhd`; `nil` if it is 0.
    public var createdAt: Date?
    /// `com.apple.quicktime.model`, as written.
    public var model: String?
    /// As browsers want them (RFC 6381); `nil` if unknown.
    public var codecs: String?

    public init(
        durationMilliseconds: Int64, frameCount: Int, codec: String, width: Int, height: Int, rotation: Int, hasAudio: Bool,
        creationDate: String? = nil, createdAt: Date? = nil, model: String? = nil, codecs: String? = nil
    ) {
        self.codecs = codecs
        self.durationMilliseconds = durationMilliseconds
        self.frameCount = frameCount
        self.codec = codec
        self.width = width
        self.height = height
        self.rotation = rotation
        self.hasAudio = hasAudio
        self.creationDate = creationDate
        self.createdAt = createdAt
        self.model = model
    }
}

extension VideoFacts {
    /// - Parameter startedAt: as the recording says.
    init(_ file: MovieFacts, startedAt: Date) {
        self.init(
            durationMilliseconds: file.durationMilliseconds, frameCount: file.frameCount, codec: file.codec, width: file.width,
            height: file.height, rotation: file.rotation, hasAudio: file.hasAudio, startedAt: .exact(startedAt),
            endedAt: .exact(startedAt.addingTimeInterval(Double(file.durationMilliseconds) / 1000)), codecs: file.codecs)
    }
}
