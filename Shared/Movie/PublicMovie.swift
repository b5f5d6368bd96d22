public import Foundation

/// How to write the public copy of a video (SPEC §10.7): a new MP4 with `ftyp`, `moov` and `mdat` alone.
///
/// Samples, timescales, times, edits and rotation are those of the original; sample entries are rebuilt, dates are set, and an edit without
/// a length gets the one that it stands for. What is not copied cannot leak.
public struct PublicMovie: Sendable, Equatable {
    /// `ftyp`, `moov` and the header of `mdat`.
    public let head: [UInt8]
    /// What follows: bytes of the original, ascending and apart, so that one read from front to back suffices.
    public let ranges: [Range<Int64>]
    /// The length of the whole copy, in bytes.
    public let length: Int64

    public init(_ movie: Movie, startedAt: Date) {
        let order = movie.fileOrder
        let layout = MovieLayout(
            MovieHeader(
                brand: .mp4, timescale: movie.timescale, video: movie.video, sound: movie.sound, createdAt: startedAt), order: order)
        var ranges: [Range<Int64>] = []
        for index in order {
            let range = movie.sample(index).range
            if let last = ranges.last, last.upperBound == range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
        (head, length, self.ranges) = (layout.head, layout.length, ranges)
    }
}

extension Movie {
    /// The samples of both tracks as they lie in the file.
    public var fileOrder: [MovieSampleIndex] {
        let all =
            video.samples.indices.map { MovieSampleIndex(track: .video, index: $0) }
            + (sound?.samples ?? []).indices.map { MovieSampleIndex(track: .sound, index: $0) }
        return all.sorted { sample($0).offset < sample($1).offset }
    }

    /// - Parameter index: of a sample that there is.
    public func sample(_ index: MovieSampleIndex) -> MovieSample {
        switch index.track {
        case .video: video.samples[index.index]
        case .sound: (sound?.samples ?? [])[index.index]
        }
    }
}

extension MovieSample {
    /// Where its bytes lie in the file.
    public var range: Range<Int64> { offset..<offset + Int64(size) }
}
