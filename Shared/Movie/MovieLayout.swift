/// One sample of a movie: its track, and its place in decoding order.
public struct MovieSampleIndex: Sendable, Equatable {
    /// The two tracks that a recording may have.
    public enum Track: Sendable {
        case video
        case sound
    }

    public let track: Track
    public let index: Int

    public init(track: Track, index: Int) {
        self.track = track
        self.index = index
    }
}

/// A file with `moov` first and all samples in one `mdat`: `ftyp`, `moov`, `mdat` and nothing else.
public struct MovieLayout: Sendable, Equatable {
    /// `ftyp`, `moov` and the header of `mdat`. The samples follow.
    public let head: [UInt8]
    /// Which sample follows which.
    public let order: [MovieSampleIndex]
    /// The length of the whole file, in bytes.
    public let length: Int64

    /// - Parameters:
    ///   - header: whose samples have sizes and times; their offsets are replaced.
    ///   - order: every sample of both tracks once.
    public init(_ header: MovieHeader, order: [MovieSampleIndex]) {
        var header = header
        let payload = header.place(order, at: 0)
        let isLong = payload > Int64(UInt32.max) - 8
        var head = header.brand.fileType
        let dataHeader = Self.mediaDataHeader(payload: payload, isLong: isLong)
        // Offsets decide between stco and co64, and the size of moov decides the offsets; they only grow.
        var movieBox = header.movieBox()
        while true {
            let start = head.count + movieBox.count + dataHeader.count
            _ = header.place(order, at: Int64(start))
            let placed = header.movieBox()
            let fits = placed.count == movieBox.count
            movieBox = placed
            if fits { break }
        }
        head += movieBox + dataHeader
        self.head = head
        self.order = order
        length = Int64(head.count) + payload
    }

    /// Samples of both tracks in the order of their decoding times, as players like to read them.
    public static func interleaved(_ video: VideoTrack, _ sound: SoundTrack?) -> [MovieSampleIndex] {
        var order: [MovieSampleIndex] = []
        let packets = sound?.samples ?? []
        let soundScale = Double(max(sound?.format.timescale ?? 1, 1))
        let videoScale = Double(max(video.format.timescale, 1))
        var packet = 0
        for (index, sample) in video.samples.enumerated() {
            while packet < packets.count, Double(packets[packet].decodeTime) / soundScale < Double(sample.decodeTime) / videoScale {
                order.append(MovieSampleIndex(track: .sound, index: packet))
                packet += 1
            }
            order.append(MovieSampleIndex(track: .video, index: index))
        }
        return order + (packet..<packets.count).map { MovieSampleIndex(track: .sound, index: $0) }
    }

    private static func mediaDataHeader(payload: Int64, isLong: Bool) -> [UInt8] {
        var writer = BoxWriter()
        writer.u32(isLong ? 1 : UInt32(clamping: payload + 8))
        writer.code("mdat")
        if isLong { writer.u64(UInt64(clamping: payload + 16)) }
        return writer.bytes
    }
}

extension MovieHeader {
    /// Gives the samples offsets in this order without gaps, beginning at `start`.
    /// - Returns: the sum of their sizes.
    fileprivate mutating func place(_ order: [MovieSampleIndex], at start: Int64) -> Int64 {
        var (pictures, packets) = (video.samples, sound?.samples ?? [])
        var end = start
        for sample in order {
            switch sample.track {
            case .video where pictures.indices.contains(sample.index):
                pictures[sample.index] = pictures[sample.index].moved(to: end)
                end += Int64(pictures[sample.index].size)
            case .sound where packets.indices.contains(sample.index):
                packets[sample.index] = packets[sample.index].moved(to: end)
                end += Int64(packets[sample.index].size)
            default: break
            }
        }
        video = VideoTrack(format: video.format, samples: pictures, firstOffset: video.firstOffset, edit: video.edit)
        sound = sound.map { SoundTrack(format: $0.format, samples: packets, firstOffset: $0.firstOffset, edit: $0.edit) }
        return end - start
    }
}

extension MovieSample {
    /// The same sample at another place.
    public func moved(to offset: Int64) -> MovieSample {
        MovieSample(offset: offset, size: size, decodeTime: decodeTime, duration: duration, time: time, isSync: isSync)
    }
}
