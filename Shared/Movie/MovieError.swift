/// Why a file is not a video that a capture may have (SPEC §10.1).
public struct MovieError: Error, Equatable, CustomStringConvertible {
    /// One for each rule.
    public enum Code: String, Sendable {
        /// Does not begin with `ftyp`; anything else did.
        case notMovie = "not_movie"
        /// The file ends inside a box.
        case truncated
        case tooManyBoxes = "too_many_boxes"
        case movieBoxMissing = "movie_box_missing"
        case movieBoxTwice = "movie_box_twice"
        case movieBoxTooLarge = "movie_box_too_large"
        /// `moof` or `mvex`.
        case fragmented
        case boxOutsideParent = "box_outside_parent"
        case nestedTooDeep = "nested_too_deep"
        /// Shorter than its fields, of an unknown version, or with a number that cannot be.
        case malformedBox = "malformed_box"
        case boxMissing = "box_missing"
        case boxTwice = "box_twice"
        case noVideoTrack = "no_video_track"
        case twoVideoTracks = "two_video_tracks"
        case twoSoundTracks = "two_sound_tracks"
        case videoCodec = "video_codec"
        case soundCodec = "sound_codec"
        /// Not exactly one.
        case sampleDescriptions = "sample_descriptions"
        case pictureSize = "picture_size"
        /// `avcC`, `hvcC` or `esds` is absent, repeated or too short.
        case decoderConfiguration = "decoder_configuration"
        /// Samples in another file (`dref`).
        case externalData = "external_data"
        case matrix
        case timescale
        /// A table is not as long as it claims.
        case tableLength = "table_length"
        case tablesDisagree = "tables_disagree"
        case sampleCount = "sample_count"
        case emptySample = "empty_sample"
        case sampleOutsideMediaData = "sample_outside_media_data"
        case samplesOverlap = "samples_overlap"
        case firstSampleNotSync = "first_sample_not_sync"
        case firstSampleNotFirstShown = "first_sample_not_first_shown"
        case sharedTime = "shared_time"
        case tooLong = "too_long"
        case editList = "edit_list"
    }

    public let code: Code
    /// Continues "the video …", such as "has two video tracks"; no text of the file is in it.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether it is no movie at all, rather than one that is not allowed.
    public var isNotMovie: Bool { code == .notMovie }

    public var description: String { "\(code.rawValue): \(message)" }
}
