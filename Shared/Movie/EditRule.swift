extension MovieEdit {
    /// From the content of `elst` (ISO/IEC 14496-12 §8.6.6): at most one empty edit and then one of rate 1.
    /// - Returns: `nil` for an empty list.
    init?(_ list: FieldReader) throws(MovieError) {
        var fields = list
        let version = try fields.version(newest: 1)
        let count = try fields.entryCount(size: version == 1 ? 20 : 12)
        guard count <= 2 else { throw MovieError(.editList, "has an edit list that cuts it") }
        if count == 0 { return nil }
        var edits: [(duration: UInt64, mediaTime: Int64)] = []
        for _ in 0..<count {
            let duration = try fields.wide(version)
            let mediaTime = version == 1 ? Int64(bitPattern: try fields.u64()) : Int64(try fields.i32())
            guard try fields.u32() == 1 << 16 else { throw MovieError(.editList, "has an edit list that changes its speed") }
            edits.append((duration, mediaTime))
        }
        let shown = edits[count - 1]
        guard shown.mediaTime >= 0, count == 1 || edits[0].mediaTime == -1 else {
            throw MovieError(.editList, "has an edit list that cuts it")
        }
        self.init(delay: count == 2 ? edits[0].duration : 0, duration: shown.duration, mediaTime: shown.mediaTime)
    }
}

/// What an edit list may hide (SPEC §10.1), with the tolerances that real writers need.
///
/// Times are compared as whole numbers of 1 / (timescale × movie's timescale) s, so that nothing is rounded.
struct EditRule {
    enum Beginning {
        /// Half of the first frame.
        case halfAFrame
        case aFifthOfASecond
    }

    /// How much of the sound's beginning may be hidden: 0.2 s, in ticks of the sound.
    static func hideableSound(timescale: Int64) -> Int64 { timescale / 5 }

    private let samples: SampleTable
    private let timescale: Int64
    private let movieTimescale: Int64

    init(samples: SampleTable, timescale: UInt32, movieTimescale: UInt32) {
        self.samples = samples
        self.timescale = Int64(timescale)
        self.movieTimescale = Int64(movieTimescale)
    }

    /// - Parameter edit: without one all is shown from the track's time 0 on.
    func check(_ edit: MovieEdit?, hidesAtMost beginning: Beginning) throws(MovieError) {
        let (delay, duration) = (edit?.delay ?? 0, edit?.duration ?? 0)
        guard delay <= UInt64(movieTimescale / 2) else { throw MovieError(.editList, "begins with more than half a second of nothing") }
        guard duration <= UInt64(16 * movieTimescale) else { throw MovieError(.tooLong, "is longer than 15.5 s") }
        // At most 2⁶³ − 1, as the media time of a list of version 1 may be; the offset has 32 bits.
        let (hidden, overflow) = (edit?.mediaTime ?? 0).subtractingReportingOverflow(samples.firstOffset)
        guard !overflow, hidden <= hideable(beginning) else { throw MovieError(.editList, "has an edit list that hides its beginning") }
        guard hidden >= -timescale / 2 else { throw MovieError(.editList, "begins with more than half a second of nothing") }
        guard duration > 0 else { return }
        let shownUntil = Int128(hidden) * Int128(movieTimescale) + Int128(duration) * Int128(timescale)
        let least = Int128(samples.shownEnd - endTolerance) * Int128(movieTimescale) - rounding
        guard shownUntil >= least else {
            throw MovieError(.editList, "has an edit list that hides its end")
        }
    }

    /// What the edit's duration may have lost to the movie's timescale: one tick, but at most half a frame, since the file chooses how long
    /// a tick is. One of 1/600 s, which is QuickTime's own, may always be lost, however short the last frame is.
    private var rounding: Int128 {
        let halfAFrame = Int128(endTolerance) * Int128(movieTimescale) / 3
        let shortTick = Int128(timescale) * Int128(movieTimescale) / 600
        return min(Int128(timescale), max(halfAFrame, shortTick))
    }

    /// Ticks.
    private func hideable(_ beginning: Beginning) -> Int64 {
        switch beginning {
        case .halfAFrame: firstFrame / 2
        case .aFifthOfASecond: Self.hideableSound(timescale: timescale)
        }
    }

    /// How long the first frame is shown.
    private var firstFrame: Int64 {
        samples.samples.lazy.map(\.time).filter { $0 > 0 }.min() ?? Int64(samples.samples[0].duration)
    }

    /// One and a half frames, either of the last one's length or of the mean, whichever is less.
    private var endTolerance: Int64 {
        let last = samples.samples.max { $0.time < $1.time }.map { Int64($0.duration) } ?? 0
        return min(last, samples.shownEnd / Int64(samples.samples.count)) * 3 / 2
    }
}
