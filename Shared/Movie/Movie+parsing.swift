import Foundation

extension Movie {
    /// From the payload of a `moov` whose file was checked when it came, so that only `moov` has to be read again.
    ///
    /// All checks of SPEC §10.1 but those of what lies beside `moov`.
    /// - Parameters:
    ///   - payload: of `moov`.
    ///   - range: where the payload lies in the file.
    ///   - fileLength: in bytes.
    /// - Throws: ``MovieError`` if one of them fails.
    public init(
        movieBox payload: [UInt8], at range: Range<Int64>, fileLength: Int64, majorBrand: FourCharacterCode = "mp42"
    ) throws(MovieError) {
        try self.init(parsing: payload[...], at: range, fileLength: fileLength, majorBrand: majorBrand, mediaData: nil)
    }

    /// From a whole file in memory.
    /// - Throws: ``MovieError`` if a check of SPEC §10.1 fails.
    public init(file: [UInt8]) throws(MovieError) {
        var scanner = MovieScanner()
        try scanner.consume(file[...])
        self = try scanner.finish()
    }

    /// - Parameter mediaData: payloads of the `mdat` boxes, ascending; `nil` if the file was checked before.
    init(
        parsing payload: ArraySlice<UInt8>, at range: Range<Int64>, fileLength: Int64, majorBrand: FourCharacterCode,
        mediaData: [Range<Int64>]?
    ) throws(MovieError) {
        guard range.lowerBound >= 0, range.upperBound <= fileLength, range.count == payload.count else {
            throw MovieError(.truncated, "has a moov box outside of the file")
        }
        try BoxList.checkNesting(ofMovieBox: payload)
        let boxes = try BoxList(payload, of: "moov")
        guard !boxes.contains("mvex") else { throw MovieError(.fragmented, "is fragmented") }
        let header = try MovieHeaderFields(boxes.only("mvhd"))
        var (video, sound) = (VideoTrack?.none, SoundTrack?.none)
        for box in boxes.boxes where box.type == "trak" {
            let track = try TrackReader(box.content)
            switch track.kind {
            case .video:
                guard video == nil else { throw MovieError(.twoVideoTracks, "has two video tracks") }
                video = try track.video(movieTimescale: header.timescale)
            case .sound:
                guard sound == nil else { throw MovieError(.twoSoundTracks, "has two sound tracks") }
                sound = try track.sound(movieTimescale: header.timescale)
            case nil: break
            }
        }
        guard let video else { throw MovieError(.noVideoTrack, "has no video track") }
        try SamplePlaces.check(video.samples + (sound?.samples ?? []), within: mediaData, fileLength: fileLength, movieBox: range)
        let metadata = QuickTimeMetadata(boxes)
        self.init(
            majorBrand: majorBrand, timescale: header.timescale, video: video, sound: sound, createdAt: header.createdAt,
            quickTimeCreationDate: metadata.creationDate, quickTimeModel: metadata.model, moov: range,
            durationMilliseconds: (video.shownEnd * 1000 + Int64(video.format.timescale) / 2) / Int64(video.format.timescale))
    }
}

/// What of `mvhd` (ISO/IEC 14496-12 §8.2.2) matters.
struct MovieHeaderFields {
    let timescale: UInt32
    let createdAt: Date?

    init(_ box: FieldReader) throws(MovieError) {
        var fields = box
        let version = try fields.version(newest: 1)
        let created = try fields.wide(version)
        _ = try fields.wide(version)
        timescale = try fields.u32()
        guard timescale > 0 else { throw MovieError(.timescale, "has a timescale of 0") }
        _ = try fields.wide(version)
        // Rate, volume, reserved.
        try fields.skip(16)
        guard try VideoRotation(matrix: &fields) == VideoRotation.none else {
            throw MovieError(.matrix, "is turned, scaled or mirrored as a whole")
        }
        createdAt = Date(secondsSince1904: created)
    }
}

extension Date {
    /// From 1904-01-01 to 1970-01-01.
    private static let epochSeconds: Double = 2_082_844_800
    /// The year 9999.
    private static let latest: UInt64 = 255_485_232_000

    /// `nil` for 0, which means that it is not known, and for what no clock says.
    init?(secondsSince1904 seconds: UInt64) {
        guard seconds > 0, seconds < Self.latest else { return nil }
        self.init(timeIntervalSince1970: Double(seconds) - Self.epochSeconds)
    }

    /// Whole seconds; 0 before 1904.
    var secondsSince1904: UInt64 { UInt64(min(max(timeIntervalSince1970 + Self.epochSeconds, 0), Double(Self.latest)).rounded(.down)) }
}

extension VideoRotation {
    /// From nine numbers a, b, u, c, d, v, x, y, w (ISO/IEC 14496-12 §8.3.2); where the picture is moved to by x and y does not matter.
    /// - Returns: `nil` if it is not a turn.
    init?(matrix fields: inout FieldReader) throws(MovieError) {
        var numbers: [Int32] = []
        for _ in 0..<9 { numbers.append(try fields.i32()) }
        for rotation in Self.allCases {
            let turn = rotation.turn
            if numbers[0] == turn.a, numbers[1] == turn.b, numbers[3] == turn.c, numbers[4] == turn.d, numbers[2] == 0, numbers[5] == 0,
                numbers[8] == 1 << 30
            {
                self = rotation
                return
            }
        }
        return nil
    }

    /// The matrix's four numbers in 16.16.
    var turn: (a: Int32, b: Int32, c: Int32, d: Int32) {
        switch self {
        case .none: (1 << 16, 0, 0, 1 << 16)
        case .quarter: (0, 1 << 16, -1 << 16, 0)
        case .half: (-1 << 16, 0, 0, -1 << 16)
        case .threeQuarters: (0, -1 << 16, 1 << 16, 0)
        }
    }
}
