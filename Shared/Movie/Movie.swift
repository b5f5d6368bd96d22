public import Foundation

/// What the tables of an MP4 or QuickTime file say, checked against each other and against the file (SPEC §10.1).
public struct Movie: Sendable, Equatable {
    public let majorBrand: FourCharacterCode
    /// Ticks per second of `mvhd`, at least 1.
    public let timescale: UInt32
    public let video: VideoTrack
    /// `nil` without sound.
    public let sound: SoundTrack?
    /// `mvhd` creation time; `nil` if it is 0.
    public let createdAt: Date?
    /// `moov/meta` value of `com.apple.quicktime.creationdate`, as written.
    public let quickTimeCreationDate: String?
    /// `moov/meta` value of `com.apple.quicktime.model`, as written.
    public let quickTimeModel: String?
    /// Where the payload of `moov` lies in the file.
    public let moov: Range<Int64>
    /// From the first picture shown to the end of the last one, in milliseconds, rounded to the nearest.
    public let durationMilliseconds: Int64

    public init(
        majorBrand: FourCharacterCode, timescale: UInt32, video: VideoTrack, sound: SoundTrack?, createdAt: Date?,
        quickTimeCreationDate: String?, quickTimeModel: String?, moov: Range<Int64>, durationMilliseconds: Int64
    ) {
        self.majorBrand = majorBrand
        self.timescale = timescale
        self.video = video
        self.sound = sound
        self.createdAt = createdAt
        self.quickTimeCreationDate = quickTimeCreationDate
        self.quickTimeModel = quickTimeModel
        self.moov = moov
        self.durationMilliseconds = durationMilliseconds
    }
}
