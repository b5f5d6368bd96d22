extension SampleTable {
    /// 15.5 s.
    static let longestMilliseconds: Int64 = 15_500

    /// The first sample must be a sync sample and the first shown, no two are shown at one time, and the track is not too long.
    func checkOrder(timescale: UInt32) throws(MovieError) {
        guard samples[0].isSync else { throw MovieError(.firstSampleNotSync, "does not begin with a sync sample") }
        let times = samples.map(\.time).sorted()
        guard times[0] == 0 else { throw MovieError(.firstSampleNotFirstShown, "does not begin with the first sample shown") }
        for (time, next) in zip(times, times.dropFirst()) where time == next {
            throw MovieError(.sharedTime, "has two samples that are shown at one time")
        }
        let decoded = samples.reduce(0) { $0 + Int64($1.duration) }
        // Neither reaches 2⁴⁶: at most 4096 durations of 32 bits and two offsets.
        guard max(decoded, shownEnd) * 1000 <= Self.longestMilliseconds * Int64(timescale) else {
            throw MovieError(.tooLong, "is longer than 15.5 s")
        }
    }

    /// When the last one shown ends, in ticks from the first one.
    var shownEnd: Int64 { samples.shownEnd }
}

extension [MovieSample] {
    /// When the last one shown ends, in ticks from the first one; 0 without samples.
    var shownEnd: Int64 {
        guard let last = self.max(by: { $0.time < $1.time }) else { return 0 }
        return last.time + Int64(last.duration)
    }
}

extension VideoTrack {
    /// When the last picture shown ends, in ticks from the first one.
    public var shownEnd: Int64 { samples.shownEnd }
}

/// Where samples may lie in a file.
enum SamplePlaces {
    /// Every sample must be inside one `mdat` (or, where these are not known, inside the file and not in `moov`), and no two may share a
    /// byte.
    static func check(
        _ samples: [MovieSample], within mediaData: [Range<Int64>]?, fileLength: Int64, movieBox: Range<Int64>
    ) throws(MovieError) {
        let allowed = mediaData ?? [0..<movieBox.lowerBound, movieBox.upperBound..<fileLength]
        var box = 0
        var last: Int64 = 0
        for sample in samples.sorted(by: { ($0.offset, $0.size) < ($1.offset, $1.size) }) {
            while box < allowed.count, allowed[box].upperBound <= sample.offset { box += 1 }
            guard box < allowed.count, sample.offset >= allowed[box].lowerBound,
                Int64(sample.size) <= allowed[box].upperBound - sample.offset
            else { throw MovieError(.sampleOutsideMediaData, "has a sample outside of its mdat boxes") }
            guard sample.offset >= last else { throw MovieError(.samplesOverlap, "has samples that overlap") }
            last = sample.offset + Int64(sample.size)
        }
    }
}
